import { cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import platforms from '../../packages/native/platforms.json' with { type: 'json' };

export type Platform = { target: string; os: string; cpu: string; libc?: string; onnxruntime?: string };

export const PLATFORMS: readonly Platform[] = platforms;

const root = join(import.meta.dirname, '../..');
const SQLITE = join(root, 'node_modules/better-sqlite3');
const ONNX = join(root, 'node_modules/onnxruntime-node');

export function nativePackage({ target }: Platform): string {
  return `@millrace/native-${target}`;
}

/** The platform of this machine, as npm would choose it. */
export function hostPlatform(): Platform {
  const musl = process.platform === 'linux' && !('glibcVersionRuntime' in (process.report.getReport() as { header: object }).header);
  const target = `${process.platform}${musl ? 'musl' : ''}-${process.arch}`;
  const found = PLATFORMS.find((platform) => platform.target === target);
  if (!found) throw new Error(`No native package is made for ${target}`);
  return found;
}

/** Writes the package that holds one platform's compiled code. */
export function writeNativePackage(platform: Platform, folder: string, version: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  place(join(SQLITE, `prebuilds/${platform.target}.node`), join(folder, 'better_sqlite3.node'));
  cpSync(join(SQLITE, 'LICENSE'), join(folder, 'LICENSE.better-sqlite3'));
  if (platform.onnxruntime) {
    const binaries = join(ONNX, 'bin/napi-v6', platform.onnxruntime);
    for (const file of readdirSync(binaries)) if (!isCopy(file)) place(join(binaries, file), join(folder, file));
    writeFileSync(join(folder, 'LICENSE.onnxruntime'), onnxruntimeLicence());
  }
  const manifest = {
    name: nativePackage(platform),
    version,
    description: `Compiled code of millrace for ${platform.target}`,
    license: 'MIT',
    repository: { type: 'git', url: 'git+https://github.com/millrace/millrace.git' },
    os: [platform.os],
    cpu: [platform.cpu],
    ...(platform.libc && { libc: [platform.libc] }),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** macOS has its library twice, under its full version and under the name that the binding loads. */
function isCopy(file: string): boolean {
  return /^libonnxruntime\.\d+\.\d+\.\d+\.dylib$/.test(file);
}

function place(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${from} is missing: run npm install`);
  try {
    linkSync(from, to);
  } catch {
    cpSync(from, to);
  }
}

/** The package names its licence but does not include the text. */
function onnxruntimeLicence(): string {
  const { license, version } = JSON.parse(readFileSync(join(ONNX, 'package.json'), 'utf8')) as { license: string; version: string };
  if (license !== 'MIT') throw new Error(`onnxruntime-node is now under ${license}: look at the notices`);
  return `onnxruntime-node ${version}\n\n${mitLicence('Microsoft Corporation')}`;
}

export function mitLicence(holder: string): string {
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`;
}

/** In the bundle, both packages load their compiled code from the platform's package. */
export const nativeCode: Plugin = {
  name: 'native-code',
  setup({ onLoad }) {
    const loader = JSON.stringify(join(root, 'packages/native/load.cjs'));
    onLoad({ filter: /better-sqlite3\/lib\/binding\.js$/ }, () => ({
      contents: `exports.getBinding = () => require(${loader}).load('better_sqlite3.node');`,
      loader: 'js',
    }));
    onLoad({ filter: /onnxruntime-node\/dist\/binding\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(
        /require\(`[^`]*onnxruntime_binding\.node`\)/,
        `require(${loader}).load('onnxruntime_binding.node')`,
      );
      if (!contents.includes(loader)) throw new Error('onnxruntime-node loads its binding in another way now');
      return { contents, loader: 'js' };
    });
  },
};

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from './manifest.ts';
import { hostPlatform, type Platform, writeNativePackage } from './natives.ts';

const root = join(import.meta.dirname, '../..');

/** Packs dist/ and the compiled code of the given platforms, as they would be published. Returns the tarballs' paths. */
export function packRelease(to: string, platforms: readonly Platform[]): string[] {
  mkdirSync(to, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'millrace-pack-'));
  try {
    const folders = platforms.map((platform) => {
      const folder = join(work, platform.target);
      writeNativePackage(platform, folder, version);
      return folder;
    });
    return [join(root, 'dist'), ...folders].map((folder) => npmPack(folder, to));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function npmPack(folder: string, to: string): string {
  const output = execFileSync('npm', ['pack', folder, '--pack-destination', to, '--ignore-scripts', '--json', '--loglevel=error'], {
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  // A list until npm 11, an object by name since.
  const packed = Object.values(JSON.parse(output) as Record<string, { filename: string }>)[0] as { filename: string };
  return join(to, packed.filename.replace(/^@/, '').replace('/', '-'));
}

/** Installs the built package into a separate folder, as a user would, unless that build is already installed. */
export function installPackage(folder: string, build: string): void {
  const stamp = join(folder, 'installed-build');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === build) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const tarballs = packRelease(folder, [hostPlatform()]);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  writeFileSync(stamp, build);
}

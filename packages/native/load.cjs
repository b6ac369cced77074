'use strict';
// Compiled code ships in one package per platform: installing runs no script and brings no other platform's files.
const { existsSync } = require('node:fs');
const { dirname, join } = require('node:path');

/** npm installs the one that fits this machine's C library, so the first that is present is the right one. */
function packageNames() {
  const platforms = process.platform === 'linux' ? ['linux', 'linuxmusl'] : [process.platform];
  return platforms.map((platform) => `@millrace/native-${platform}-${process.arch}`);
}

function folderOf(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Callers that can explain it to a person recognise it by its code. */
function missing(message) {
  return Object.assign(new Error(message), { code: 'MILLRACE_NATIVE_MISSING' });
}

exports.load = function load(file) {
  const names = packageNames();
  const folder = names.map(folderOf).find(Boolean);
  if (!folder) {
    throw missing(
      `${names[0]} is not installed. Install Millrace again with optional dependencies (without --omit=optional). It runs on Linux, macOS and Windows, x64 and arm64.`,
    );
  }
  const path = join(folder, file);
  if (!existsSync(path)) {
    throw missing(`${file} is not available for this platform. For local embeddings, use another platform or configure a remote provider.`);
  }
  return require(path);
};

import { mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 5_000;
const ABANDONED_MS = 30_000;
const POLL_MS = 300;

/** One process at a time sets up; a second one reports that it is waiting. A lock whose holder died is ignored. */
export async function alone(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  for (let told = false; !take(file); told = true) {
    if (!told) process.stderr.write('Another start of Millrace is setting up this folder; waiting for it...\n');
    await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => utimesSync(file, new Date(), new Date()), HEARTBEAT_MS);
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off('exit', release);
    release();
  }
}

function take(file) {
  try {
    writeFileSync(file, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!isAbandoned(file)) return false;
  rmSync(file, { force: true });
  return take(file);
}

function isAbandoned(file) {
  try {
    if (Date.now() - statSync(file).mtimeMs > ABANDONED_MS) return true;
    const { pid, host } = JSON.parse(readFileSync(file, 'utf8'));
    return host === hostname() && !isAlive(pid);
  } catch (error) {
    // Gone meanwhile, or still being written.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return false;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

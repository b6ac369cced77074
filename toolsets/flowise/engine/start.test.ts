import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processNamed } from '@millrace/storage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeStandIn } from '../testing/stand-in.ts';
import { FLOWISE_VERSION, installFlowise } from './install.ts';
import { runProgram } from './process.ts';
import { findFlowise, flowiseAddress, startFlowise } from './start.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-engine-'));
  await writeStandIn(join(folder, 'flowise'));
  await writeStandIn(join(folder, 'broken'), 'process.exit(3)');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('startFlowise', () => {
  const options = () => ({
    install: { version: FLOWISE_VERSION, directory: join(folder, 'flowise') },
    data: join(folder, 'data'),
    signal: new AbortController().signal,
    environment: { PATH: '/usr/bin:/bin', HOME: folder, FLOWISE_API_KEY: 'not-for-flowise', DATABASE_URL: 'postgres://secret' },
  });

  test('starts on loopback with an account and a key, which it finds again', async () => {
    const first = await startFlowise(options());
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(first.apiKey).toBe('key-0');
    const environment = (await (await fetch(`${first.url}/anything`)).json()) as Record<string, string>;
    expect(environment).toMatchObject({ HOST: '127.0.0.1', DISABLE_FLOWISE_TELEMETRY: 'true', HOME: folder });
    expect(environment).not.toHaveProperty('FLOWISE_API_KEY');
    expect(environment).not.toHaveProperty('DATABASE_URL');
    await first.stop();
    const again = await startFlowise(options());
    expect(again).toMatchObject({ apiKey: 'key-0', account: first.account });
    await again.stop();
    await expect(fetch(`${again.url}/api/v1/ping`)).rejects.toThrow();
    const secrets = join(folder, 'data', 'millrace.json');
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(secrets, 'utf8'))).toHaveProperty('password');
  });

  test('reports an immediate exit, and stops on request', async () => {
    const broken = { ...options(), install: { version: FLOWISE_VERSION, directory: join(folder, 'broken') } };
    await expect(startFlowise(broken)).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('exit code 3') });
    await expect(startFlowise({ ...options(), signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    const missing = { ...options(), install: { version: FLOWISE_VERSION, directory: join(folder, 'nowhere') } };
    await expect(startFlowise(missing)).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('nowhere') });
  });

  test('keeps the address it had, and says when another program has taken it', async () => {
    const data = join(folder, 'steady');
    const first = await startFlowise({ ...options(), data });
    await first.stop();
    const port = Number(new URL(first.url).port);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const taken = (other.address() as { port: number }).port;
    const kept = JSON.parse(await readFile(join(data, 'millrace.json'), 'utf8'));
    expect(kept.port).toBe(port);
    await writeFile(join(data, 'millrace.json'), JSON.stringify({ ...kept, port: taken }));
    const refusal = { code: 'unavailable', details: { port: taken }, fix: { command: expect.stringContaining('--engine-port') } };
    await expect(startFlowise({ ...options(), data, port: 'usual' })).rejects.toMatchObject(refusal);
    await expect(startFlowise({ ...options(), data, port: taken })).rejects.toMatchObject(refusal);
    other.close();
  });

  test('is found by others while it runs, and taken over when its starter is gone', async () => {
    const data = join(folder, 'found');
    const signal = new AbortController().signal;
    expect(await findFlowise({ data, signal })).toBeUndefined();
    const started = await startFlowise({ ...options(), data });
    expect(await flowiseAddress(data)).toBe(started.url);
    expect(await findFlowise({ data, signal })).toMatchObject({ url: started.url, apiKey: started.apiKey, starter: process.pid });
    const note = JSON.parse(await readFile(join(data, 'running.json'), 'utf8'));
    await writeFile(join(data, 'running.json'), JSON.stringify({ ...note, starter: deadProcess() }));
    const found = await findFlowise({ data, signal });
    expect(found).toMatchObject({ url: started.url, pid: started.pid, starter: undefined });
    await found?.stop();
    await started.ended;
    expect(await findFlowise({ data, signal })).toBeUndefined();
    expect(await flowiseAddress(data)).toBeUndefined();
  });

  test('a note of a Flowise that is gone, of before the last boot or half written means nothing', async () => {
    const data = join(folder, 'noted');
    await mkdir(data);
    for (const note of [
      JSON.stringify({ pid: deadProcess(), port: 1, starter: 1, at: Date.now() }),
      JSON.stringify({ pid: process.pid, port: 1, starter: 1, at: 0 }),
      '{"pid":',
    ]) {
      await writeFile(join(data, 'running.json'), note);
      expect(await findFlowise({ data, signal: new AbortController().signal })).toBeUndefined();
    }
  });
});

/** The id of a process that has ended. */
function deadProcess(): number {
  return spawnSync(process.execPath, ['-e', '0']).pid;
}

describe('installFlowise', () => {
  test('leaves an installation as it is', async () => {
    const home = join(folder, 'installed');
    await mkdir(home, { recursive: true });
    await writeStandIn(join(home, 'app', 'node_modules', 'flowise'));
    await writeFile(join(home, 'installed.json'), JSON.stringify({ version: FLOWISE_VERSION, node: process.versions.modules }));
    const progress: string[] = [];
    const install = await installFlowise({
      home,
      signal: new AbortController().signal,
      environment: {},
      progress: (_step, _steps, message) => void progress.push(message),
    });
    expect(install).toEqual({ version: FLOWISE_VERSION, directory: join(home, 'app', 'node_modules', 'flowise') });
    expect(progress).toEqual([]);
  });

  test('says what failed, and what is needed', async () => {
    const home = join(folder, 'without-npm');
    const install = installFlowise({ home, signal: new AbortController().signal, environment: { PATH: folder }, progress() {} });
    await expect(install).rejects.toMatchObject({ code: 'unavailable', fix: { instruction: expect.stringContaining('npm') } });
  });

  test('one at a time installs in a folder; what a killed one left is taken over', async () => {
    const home = join(folder, 'turns');
    await mkdir(home);
    const lock = join(home, 'installing.json');
    await writeFile(lock, processNamed(deadProcess()));
    const messages: string[] = [];
    const begin = (signal = new AbortController().signal) =>
      installFlowise({ home, signal, environment: { PATH: folder }, progress: (_step, _steps, message) => void messages.push(message) });
    await expect(begin()).rejects.toMatchObject({ code: 'unavailable' });
    expect(messages).not.toContain('Another installation is under way here: waiting for it');
    // The installer keeps running after the process that started it was killed.
    const worker = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await writeFile(lock, `${processNamed(deadProcess())}\n${processNamed(worker.pid as number)}`);
    const stop = new AbortController();
    const waiting = begin(stop.signal);
    await expect.poll(() => messages).toContain('Another installation is under way here: waiting for it');
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled', message: 'The installation was stopped' });
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    await expect(begin()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a program that fails for a known reason is explained, one that is stopped has ended', async () => {
    const run = (script: string, signal = new AbortController().signal, onLine?: (line: string) => void) =>
      runProgram({
        command: process.execPath,
        arguments: ['-e', script],
        directory: folder,
        signal,
        environment: { PATH: '/usr/bin:/bin' },
        ...(onLine && { onLine }),
      });
    await expect(run("console.error('ENOSPC: no space left on device, write'); process.exit(1)")).rejects.toMatchObject({
      message: 'There is no space left on the disk',
      fix: { instruction: expect.stringContaining('MILLRACE_HOME') },
    });
    await expect(run("console.error('request failed, reason: getaddrinfo ENOTFOUND'); process.exit(1)")).rejects.toMatchObject({
      message: 'The npm registry cannot be reached',
    });
    await expect(run("console.log('something else'); process.exit(7)")).rejects.toMatchObject({
      message: expect.stringContaining('(exit code 7): something else'),
    });
    const stop = new AbortController();
    let pid = 0;
    const stopped = run('console.log(process.pid); setInterval(() => {}, 1000)', stop.signal, (line) => {
      pid = Number(line);
      stop.abort();
    });
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' });
    expect(() => process.kill(pid, 0)).toThrow();
  });
});

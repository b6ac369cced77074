import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, TestRunner } from 'vitest';
import { openMillrace, type TestMillrace } from './millrace.ts';
import { type N8nCalls, n8nCalls } from './n8n-calls.ts';
import { sharedPackHome } from './n8n-pack.ts';

export type TestN8n = Omit<TestMillrace, 'write'> & N8nCalls;

export interface TestN8nOptions {
  /** Whether the n8n engine is installed; it is, unless this is false. */
  engine?: boolean;
  environment?: Record<string, string>;
  /** A folder of workflows to start with. */
  from?: string;
}

/** The n8n toolset of the installed package, in a workspace of its own. When a test opens it, it is closed with that test. */
export async function openN8n({ engine = true, environment = {}, from }: TestN8nOptions = {}): Promise<TestN8n> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'millrace-n8n-')));
  const root = join(folder, 'workspace/workflows');
  mkdirSync(root, { recursive: true });
  mkdirSync(join(folder, 'home'));
  const pack = engine ? sharedPackHome() : undefined;
  if (engine && !pack) TestRunner.getCurrentTest()?.context.skip('the n8n engine pack is not installed');
  if (pack) symlinkSync(join(pack, 'engines'), join(folder, 'home/engines'));
  if (from) cpSync(from, root, { recursive: true });
  const millrace = await openMillrace({ toolsets: ['n8n'], folder, environment });
  const close = async () => {
    await millrace.close();
    rmSync(folder, { recursive: true, force: true });
  };
  if (TestRunner.getCurrentTest()) onTestFinished(close);
  return { ...millrace, ...n8nCalls(root, millrace.call), close };
}

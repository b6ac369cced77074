import { type Check, Failure } from '@millrace/kernel';
import type { InstalledPack } from './catalogue/pack/installed.ts';
import { bestSandbox } from './engine/confinement/sandbox.ts';
import type { InstanceClient } from './remote/client.ts';

export interface DoctorOptions {
  /** The newest first. */
  installed(): Promise<readonly InstalledPack[]>;
  /** The version asked for, where one was. */
  version: string | undefined;
  instance: { url: string | undefined; client: InstanceClient | undefined };
  workflowFiles(): Promise<number>;
  /** Whether workflows that nothing confines are refused. */
  refusesUnconfined?(): Promise<boolean>;
  timeoutMs?: number;
}

const TIMEOUT_MS = 8_000;
/** No instance has it: asking for it shows whether the key is accepted. */
const NOBODYS_ID = 'millrace-doctor';

/** What works about n8n: the engine, the instance and the files. Nothing is changed anywhere. */
export async function n8nChecks(options: DoctorOptions): Promise<Check[]> {
  const files = await options.workflowFiles();
  return [
    await engineCheck(options),
    await confinementCheck(options),
    await instanceCheck(options),
    { name: 'n8n workflows', state: 'ok', detail: files === 1 ? '1 workflow file' : `${files} workflow files` },
  ];
}

async function engineCheck({ installed, version }: DoctorOptions): Promise<Check> {
  const name = 'n8n engine';
  const fix = { instruction: 'Install it', command: 'engine add n8n' };
  const packs = await installed();
  const found = version === undefined ? packs[0] : packs.find((pack) => pack.version === version);
  if (found) return { name, state: 'ok', detail: `${found.version} in ${found.folder}` };
  if (version !== undefined) {
    return { name, state: 'broken', detail: `version ${version} is configured (MILLRACE_N8N_VERSION) but not installed`, fix };
  }
  return {
    name,
    state: 'optional',
    detail: 'not installed: node_search, workflow_validate and test_workflow need it; editing files works without it',
    fix,
  };
}

async function confinementCheck({ refusesUnconfined }: DoctorOptions): Promise<Check> {
  const name = 'n8n isolation';
  const { level, detail, fix } = await bestSandbox();
  if (fix === undefined) return { name, state: 'ok', detail: `${level}: ${detail}` };
  if (await refusesUnconfined?.())
    return { name, state: 'broken', detail: `${level}: ${detail}; workflows are refused`, fix: { instruction: fix } };
  return { name, state: 'optional', detail: `${level}: ${detail}`, fix: { instruction: fix } };
}

async function instanceCheck({ instance: { url, client }, timeoutMs = TIMEOUT_MS }: DoctorOptions): Promise<Check> {
  const name = 'n8n instance';
  const fix = { instruction: 'Put N8N_API_URL and N8N_API_KEY in the .env of the workspace' };
  if (url === undefined) return { name, state: 'optional', detail: 'not set up: workflows can be built and tested, but not deployed', fix };
  if (!client) return { name, state: 'broken', detail: `${url} is configured, but N8N_API_KEY is not set`, fix };
  try {
    await client.workflow(NOBODYS_ID, AbortSignal.timeout(timeoutMs));
    return { name, state: 'ok', detail: `${url}, key accepted` };
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError')
      return {
        name,
        state: 'broken',
        detail: `${url} did not answer within ${timeoutMs / 1000} seconds`,
        fix: { instruction: 'Check N8N_API_URL' },
      };
    if (!(error instanceof Failure)) throw error;
    return { name, state: 'broken', detail: error.message, ...(error.fix && { fix: error.fix }) };
  }
}

import { type Check, Failure } from '@millrace/kernel';
import type { ChatflowType } from './client/chatflow.ts';
import type { Flowise } from './client/flowise.ts';

export interface DoctorOptions {
  flowise: Flowise;
  url: string | undefined;
  key: string | undefined;
  requireDeployed: boolean;
  timeoutMs?: number;
}

const TIMEOUT_MS = 8_000;
/** No chatflow has it: asking to change or delete it shows a permission and does nothing. */
const NOBODYS_ID = '00000000-0000-4000-8000-000000000000';
const OLDEST_KNOWN_MAJOR = 3;

/** What works about the connection to Flowise, what does not, and how to fix it. Nothing is changed there. */
export async function flowiseChecks({ flowise, url, key, requireDeployed, timeoutMs = TIMEOUT_MS }: DoctorOptions): Promise<Check[]> {
  if (!url) {
    return [
      {
        name: 'Flowise',
        state: 'optional',
        detail: 'not set up: its tools answer that FLOWISE_API_URL is not set',
        fix: {
          instruction: 'Put FLOWISE_API_URL and FLOWISE_API_KEY in the .env of the workspace, or install Flowise',
          command: 'engine add flowise',
        },
      },
    ];
  }
  const send = () => ({ signal: new AbortController().signal, timeoutMs });
  const version = await attempt(() => flowise.version(send()));
  if (version instanceof Failure) return [failed('Flowise address', version)];
  const checks: Check[] = [{ name: 'Flowise address', state: 'ok', detail: url }, versionCheck(version)];
  const chatflows = await attempt(() => flowise.list(send(), { page: 1, limit: 1 }));
  if (chatflows instanceof Failure) return [...checks, failed('Flowise key', chatflows)];
  checks.push({ name: 'Flowise key', state: 'ok', detail: key ? 'accepted' : 'not set, and not asked for' });
  checks.push(...(await permissionChecks(flowise, send)));
  if (!requireDeployed)
    checks.push({ name: 'Flowise runs', state: 'ok', detail: 'undeployed chatflows may be run (requireDeployed is off)' });
  return checks;
}

function versionCheck(version: string): Check {
  const major = Number.parseInt(version, 10);
  const shown = version.slice(0, 20);
  if (major >= OLDEST_KNOWN_MAJOR) return { name: 'Flowise version', state: 'ok', detail: shown };
  return {
    name: 'Flowise version',
    state: 'broken',
    detail: `${shown} is older than what is supported`,
    fix: { instruction: `Update Flowise to ${OLDEST_KNOWN_MAJOR}.0 or later` },
  };
}

async function permissionChecks(flowise: Flowise, send: () => { signal: AbortSignal; timeoutMs: number }): Promise<Check[]> {
  const probes: { name: string; try(): Promise<unknown>; needed: boolean }[] = [
    {
      name: 'create chatflows',
      needed: true,
      try: () => flowise.create({ name: 'probe', type: 'NONE' as ChatflowType, flowData: '{}' }, send()),
    },
    { name: 'change chatflows', needed: true, try: () => flowise.update(NOBODYS_ID, {}, send()) },
    { name: 'delete chatflows', needed: true, try: () => flowise.delete(NOBODYS_ID, send()) },
    { name: 'list credentials', needed: true, try: () => flowise.credentials(send()) },
    { name: 'see runs', needed: false, try: () => flowise.execution(NOBODYS_ID, NOBODYS_ID, send()) },
  ];
  const outcomes = await Promise.all(probes.map(async (probe) => ({ probe, outcome: await attempt(probe.try) })));
  const lacking = outcomes.flatMap(({ probe, outcome }) =>
    outcome instanceof Failure && outcome.code === 'forbidden' ? [{ probe, permission: outcome.details.permission ?? '' }] : [],
  );
  if (lacking.length === 0) return [{ name: 'Flowise rights', state: 'ok', detail: probes.map((probe) => probe.name).join(', ') }];
  return [
    {
      name: 'Flowise rights',
      state: lacking.some(({ probe }) => probe.needed) ? 'broken' : 'optional',
      detail: `the key may not ${lacking.map(({ probe }) => probe.name).join(', ')}`,
      fix: { instruction: `Give the key ${lacking.map(({ permission }) => permission).join(', ')} in Flowise under API Keys` },
    },
  ];
}

async function attempt<Value>(work: () => Promise<Value>): Promise<Value | Failure> {
  try {
    return await work();
  } catch (error) {
    return error instanceof Failure ? error : new Failure('internal', 'The check itself failed', { cause: error });
  }
}

function failed(name: string, { message, fix }: Failure): Check {
  // Whoever reads this has just run the doctor.
  const remedy = fix?.command === 'doctor' ? { instruction: fix.instruction.replace('; this checks both', '') } : fix;
  return { name, state: 'broken', detail: message, ...(remedy && { fix: remedy }) };
}

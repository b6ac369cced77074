import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AuditLog, Clock, InvocationRecord, Log, Origin, Reply, Toolset, User } from '@millrace/kernel';
import type { configure, Millrace } from '../../packages/server/src/index.ts';
import { product } from './package.ts';

export const OWNER: User = { id: 'owner', name: 'owner', level: 'advanced', owner: true };

export function user(id: string, level = 'beginner'): User {
  return { id, name: id, level, owner: false };
}

export interface TestMillraceOptions {
  /** The toolsets to start; all of them when not given. */
  toolsets?: readonly string[];
  /** Environment variables, as a person would set them. */
  environment?: Record<string, string>;
  /** Files of the workspace, by their paths in it. */
  files?: Record<string, string | Uint8Array>;
  /** A home and workspace to use again; they are kept. */
  folder?: string;
  flags?: Record<string, string | boolean | string[]>;
  clock?: Clock;
  /** Wraps the audit log. */
  observe?: (auditLog: AuditLog) => AuditLog;
  extraToolsets?: readonly Toolset[];
}

export interface TestMillrace extends Omit<Millrace, 'close'> {
  configuration: ReturnType<typeof configure>;
  log: Log;
  folder: string;
  workspace: string;
  /** What the audit log was given. */
  rows: InvocationRecord[];
  logged: { level: string; details: object; message: string }[];
  /** Calls a tool as the given user (the owner when none is named). */
  call(tool: string, parameters?: unknown, as?: User, origin?: Partial<Origin>): Promise<Reply>;
  /** The structured content of a reply. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into envelopes of every shape
  ask(tool: string, parameters?: unknown, as?: User): Promise<any>;
  write(path: string, content: string | Uint8Array): void;
  close(): Promise<void>;
}

/** A whole server of the installed package, without a transport: its pipeline, its storage, its toolsets. */
export async function openMillrace(options: TestMillraceOptions = {}): Promise<TestMillrace> {
  const { compose, configure } = await product();
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'millrace-'));
  const workspace = join(folder, 'workspace');
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  };
  mkdirSync(workspace, { recursive: true });
  for (const [path, content] of Object.entries(options.files ?? {})) write(path, content);
  const logged: TestMillrace['logged'] = [];
  const logAs = (level: string) => (details: object, message: string) => void logged.push({ level, details, message });
  const rows: InvocationRecord[] = [];
  const log: Log = { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') };
  const configuration = configure({
    flags: { workspace, rateLimits: false, ...(options.toolsets && { toolsets: [...options.toolsets] }), ...options.flags },
    home: join(folder, 'home'),
    config: undefined,
    environment: options.environment ?? {},
    workingDirectory: workspace,
  });
  const millrace = await compose({
    configuration,
    log,
    observe(auditLog): AuditLog {
      const audit = options.observe?.(auditLog) ?? auditLog;
      return {
        record(row) {
          rows.push(structuredClone(row));
          return audit.record(row);
        },
      };
    },
    ...(options.clock && { clock: options.clock }),
    manifests: (options.extraToolsets ?? []).map((toolset) => ({ name: toolset.name, create: async () => toolset })),
  });
  const call: TestMillrace['call'] = (tool, parameters = {}, as = OWNER, origin = {}) =>
    millrace.catalog.call(tool, parameters, { credentials: { kind: 'identified', user: as }, ...origin });
  return {
    ...millrace,
    configuration,
    log,
    folder,
    workspace,
    rows,
    logged,
    call,
    ask: async (tool, parameters, as) => (await call(tool, parameters, as)).structured,
    write,
    async close() {
      await millrace.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

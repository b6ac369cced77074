import {
  Catalog,
  type CatalogPorts,
  Failure,
  type InvocationRecord,
  type Journal,
  jsonReply,
  type Log,
  type Origin,
  type Reply,
  type Selection,
  type Toolset,
  type User,
} from '@millrace/kernel';

/** For parts that log what nobody has to see. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export const OWNER: User = { id: 'owner', name: 'owner', level: 'advanced', owner: true };

export function user(id: string, level = 'beginner'): User {
  return { id, name: id, level, owner: false };
}

export interface TestCatalog {
  catalog: Catalog;
  rows: InvocationRecord[];
  logged: { level: string; details: object; message: string }[];
  /** Calls a tool as the given user (the owner when none is named). */
  call(tool: string, parameters?: unknown, as?: User, origin?: Partial<Origin>): Promise<Reply>;
}

/** A whole catalog with its pipeline on ports that live in memory: for tests of tools, without a transport. */
export function testCatalog(
  toolsets: readonly Toolset[],
  options: { selection?: Selection; ports?: Partial<CatalogPorts> } = {},
): TestCatalog {
  const rows: InvocationRecord[] = [];
  const logged: TestCatalog['logged'] = [];
  const logAs = (level: string) => (details: object, message: string) => void logged.push({ level, details, message });
  const journals = new Map<string, { journal: Journal; key: string }>();
  const users = new Map<string, User>([['owner', OWNER]]);
  const ports: CatalogPorts = {
    clock: { now: () => new Date() },
    log: { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') },
    auditLog: { record: (record) => void rows.push(structuredClone(record)) },
    identity: { identify: (credentials) => (credentials.kind === 'bearer' ? (users.get(credentials.token) ?? OWNER) : OWNER) },
    limiter: { enter: async () => () => {} },
    unknownTool: (failure) => jsonReply({ error: failure.message }, true, failure),
    pendingCalls: {
      async open({ id, userId, tool, argumentsHash }) {
        const key = `${userId} ${tool} ${argumentsHash}`;
        const named = id === undefined ? undefined : journals.get(id);
        if (named?.key.startsWith(`${userId} ${tool} `) && named.key !== key) throw new Failure('conflict', 'The arguments are others');
        if (id) return named?.key === key ? named.journal : undefined;
        return [...journals.values()].find((entry) => entry.key === key && !entry.journal.closed)?.journal;
      },
      async save(journal, { userId, tool, argumentsHash }) {
        journals.set(journal.id, { journal: structuredClone(journal), key: `${userId} ${tool} ${argumentsHash}` });
      },
      async release() {},
    },
    jobs: { start: async () => {}, update: async () => {}, get: async () => undefined },
    ...options.ports,
  };
  const catalog = new Catalog(toolsets, options.selection ?? {}, ports);
  return {
    catalog,
    rows,
    logged,
    call(tool, parameters = {}, as = OWNER, origin = {}) {
      users.set(as.id, as);
      return catalog.call(tool, parameters, { credentials: { kind: 'bearer', token: as.id }, ...origin });
    },
  };
}

import module from 'node:module';

/** Runs a script where Code nodes run, with these globals, and gives what it returns. */
export type SandboxScript = (script: string, globals: Record<string, unknown>) => Promise<unknown>;

const WANTED = 'isolated-vm';
const OURS = 'millrace:isolated-vm';
const SHARED = Symbol.for(OURS);

/** Merge runs its SQL in `isolated-vm`, an addon that this process may not load: its scripts run where Code nodes do instead. */
export function offerSqlSandbox(run: SandboxScript): void {
  Object.assign(globalThis, { [SHARED]: { Isolate: isolateOf(run) } });
  module.registerHooks({
    resolve: (specifier, context, next) =>
      specifier === WANTED && context.parentURL?.includes('/Merge/')
        ? { url: OURS, format: 'module', shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url === OURS
        ? { format: 'module', source: `export default globalThis[Symbol.for('${OURS}')];`, shortCircuit: true }
        : next(url, context),
  });
}

interface Context {
  /** What ran in it before. */
  scripts: string[];
  evalClosure(code: string, parameters: unknown[]): Promise<unknown>;
  release(): void;
}

function isolateOf(run: SandboxScript) {
  return class {
    readonly isDisposed = false;

    async compileScript(source: string) {
      return { run: async (context: Context) => void context.scripts.push(source) };
    }

    async createContext(): Promise<Context> {
      const scripts: string[] = [];
      return {
        scripts,
        evalClosure(code, parameters) {
          const names = parameters.map((_, index) => `$${index}`);
          const globals = Object.fromEntries(parameters.map((value, index) => [`$${index}`, value]));
          return run(`${scripts.join('\n')}\nreturn (function (${names.join()}) {${code}\n})(${names.join()});`, globals);
        },
        release() {},
      };
    }

    dispose() {}
  };
}

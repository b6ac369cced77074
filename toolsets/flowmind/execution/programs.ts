import { Failure } from '@millrace/kernel';
import { type ContextDefinition, fromPublished } from '../flow/context.ts';
import { Program } from '../flow/program.ts';
import type { SessionState } from '../flow/state.ts';
import type { PinnedDefinition, SessionStore } from './session-store.ts';

const KEPT = 500;

/** Programs by the hash of their text, shared by all sessions of the process. */
export class ProgramCache {
  readonly #store: SessionStore;
  readonly #programs = new Map<string, Program>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  add(definition: ContextDefinition): Program {
    const program = new Program(definition);
    const known = this.#programs.get(program.hash);
    this.#programs.delete(program.hash);
    this.#programs.set(program.hash, known ?? program);
    for (const oldest of this.#programs.keys()) {
      if (this.#programs.size <= KEPT) break;
      this.#programs.delete(oldest);
    }
    return known ?? program;
  }

  async get(hash: string): Promise<Program> {
    const known = this.#programs.get(hash);
    if (known) return known;
    const pinned = await this.#store.definition(hash);
    const definition = pinned && (await definitionOf(pinned));
    if (!definition) throw new Failure('storage', 'A definition that this session needs is gone', { details: { hash } });
    return this.add(definition);
  }
}

/** Read again as it was written: published ones are JSON, all others YAML. */
async function definitionOf({ kind, text, uri }: PinnedDefinition): Promise<ContextDefinition | undefined> {
  if (kind === 'toolset') return fromPublished(JSON.parse(text));
  const { parseContext } = await import('../contexts/parse.ts');
  return parseContext(text, { kind, uri }).definition;
}

/** The pinned definitions of one session. */
export class Programs {
  readonly #cache: ProgramCache;
  readonly #loaded = new Map<string, Program | null>();
  #new: PinnedDefinition[] = [];

  constructor(cache: ProgramCache) {
    this.#cache = cache;
  }

  async load(state: SessionState): Promise<void> {
    for (const [uri, hash] of Object.entries(state.contexts)) this.#loaded.set(uri, hash === '' ? null : await this.#cache.get(hash));
  }

  get(uri: string): Program | null | undefined {
    return this.#loaded.get(uri);
  }

  /** The session keeps this definition, whatever happens to its file. */
  pin(state: SessionState, uri: string, definition: ContextDefinition | undefined): void {
    if (!definition) {
      this.#loaded.set(uri, null);
      return;
    }
    const program = this.#cache.add(definition);
    const { kind, text } = definition.source;
    state.contexts[uri] = program.hash;
    this.#loaded.set(uri, program);
    this.#new.push({ hash: program.hash, uri: definition.uri, kind, text });
  }

  takeNew(): PinnedDefinition[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }
}

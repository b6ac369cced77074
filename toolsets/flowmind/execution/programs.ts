import { createHash } from 'node:crypto';
import { Failure } from '@millrace/kernel';
import { type ContextDefinition, fromPublished } from '../language/context.ts';
import { bodiesOf, everyNode, type FlowNode } from '../nodes/registry.ts';
import type { PinnedDefinition, SessionStore } from '../store/session-store.ts';
import type { SessionState } from './state.ts';

/** A definition, laid out so that every node and every list of nodes has a name that a saved state can point at. */
export class Program {
  readonly definition: ContextDefinition;
  /** Identifies the definition's text: a session runs to its end with the one it began with. */
  readonly hash: string;
  readonly #nodes = new Map<string, FlowNode>();
  readonly #blocks = new Map<string, FlowNode[]>();

  constructor(definition: ContextDefinition) {
    this.definition = definition;
    this.hash = createHash('sha256').update(`${definition.uri}\n${definition.source.kind}\n${definition.source.text}`).digest('hex');
    this.#add('#flow', definition.flow);
    for (const each of Object.values(definition.functions)) this.#add(`#function:${each.name}`, each.body);
  }

  #add(name: string, flow: FlowNode[]): void {
    this.#blocks.set(name, flow);
    for (const node of everyNode(flow)) {
      this.#nodes.set(node.id, node);
      bodiesOf(node).forEach((body, index) => {
        this.#blocks.set(`${node.id}#${index}`, body);
      });
    }
  }

  node(id: string): FlowNode {
    const node = this.#nodes.get(id);
    if (!node) throw new Error(`${this.definition.uri} has no node ${id}`);
    return node;
  }

  block(name: string): FlowNode[] {
    const block = this.#blocks.get(name);
    if (!block) throw new Error(`${this.definition.uri} has no block ${name}`);
    return block;
  }

  /** The name of one of the lists of nodes inside a node. */
  blockOf(node: FlowNode, body: FlowNode[]): string {
    return `${node.id}#${bodiesOf(node).indexOf(body)}`;
  }
}

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
  const { parseContext } = await import('../language/parse.ts');
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

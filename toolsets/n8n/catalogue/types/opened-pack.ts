import { nearest } from '@millrace/kernel';
import { REMOVED_TYPES } from '../../document/workflow/repair.ts';
import { loadParameterRules, type ParameterRules } from './parameter-rules.ts';
import { PLAIN_RULES } from './plain-rules.ts';
import { packageOf, plain, shortName, type TypeStore } from './type-store.ts';

/** A pack in use: an installed one, or only the catalogue of an instance. */
export class OpenedPack {
  readonly version: string;
  readonly folder: string;
  readonly types: TypeStore;
  /** Whether n8n's own code is there, to run workflows and to judge parameters. */
  readonly runs: boolean;
  #rules: ParameterRules | undefined;
  #names: TypeNames | undefined;

  constructor(pack: { version: string; folder: string; runs: boolean }, types: TypeStore) {
    this.version = pack.version;
    this.folder = pack.folder;
    this.runs = pack.runs;
    this.types = types;
  }

  get rules(): ParameterRules {
    this.#rules ??= this.runs ? loadParameterRules(this.folder) : PLAIN_RULES;
    return this.#rules;
  }

  get names(): TypeNames {
    this.#names ??= new TypeNames(this.types);
    return this.#names;
  }
}

/** What the types that n8n offers are called, and which one a person means. */
class TypeNames {
  readonly #types: TypeStore;
  readonly #byShortName = new Map<string, string[]>();
  /** Without case, blanks and signs. */
  readonly #byTitle = new Map<string, string[]>();

  constructor(types: TypeStore) {
    this.#types = types;
    const add = (map: Map<string, string[]>, name: string, type: string) => map.set(name, [...(map.get(name) ?? []), type]);
    for (const { type, name, hidden } of types.entries) {
      if (hidden) continue;
      add(this.#byShortName, shortName(type), type);
      for (const title of new Set([plain(shortName(type)), ...namesIn(name)])) add(this.#byTitle, title, type);
    }
  }

  named(written: string): string | undefined {
    const matches = this.#titled(written).filter((type) => this.#types.find(type)?.variant === 'plain' && !contradicts(written, type));
    return matches.length === 1 ? matches[0] : undefined;
  }

  /** Types that resemble what was written, whether or not the package was written too. */
  nearest(written: string, most: number): string[] {
    const meant = REMOVED_TYPES[written] ?? [];
    const close = nearest(shortName(written), this.#byShortName.keys(), most).flatMap((name) => this.#byShortName.get(name) ?? []);
    return [...new Set([meant, this.#titled(written), close].flat())].slice(0, most);
  }

  #titled(written: string): string[] {
    return this.#byTitle.get(plain(shortName(written))) ?? this.#byTitle.get(plain(written)) ?? [];
  }
}

function contradicts(written: string, type: string): boolean {
  const [said, own] = [packageOf(written), packageOf(type)];
  return written.includes('.') && !written.includes(' ') && said.toLowerCase() !== own.toLowerCase();
}

/** What a title such as "Edit Fields (Set)" calls a node: all of it, and each of its two parts. */
function namesIn(title: string): string[] {
  return [title, ...title.split(/[()]/)].map(plain).filter((name) => name !== '');
}

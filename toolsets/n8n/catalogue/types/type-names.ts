import { nearest } from '@millrace/kernel';
import { REMOVED_TYPES } from '../../document/workflow/repair.ts';
import { packageOf, type TypeStore } from './type-store.ts';

/** What the types that n8n offers are called, and which one a person means. */
export class TypeNames {
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

/** Without case, blanks and signs. */
export function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** What a title such as "Edit Fields (Set)" calls a node: all of it, and each of its two parts. */
function namesIn(title: string): string[] {
  return [title, ...title.split(/[()]/)].map(plain).filter((name) => name !== '');
}

/** A type without its package. */
export function shortName(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

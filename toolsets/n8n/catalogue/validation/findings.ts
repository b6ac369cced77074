import type { Finding } from '../../document/workflow/model.ts';

/** Reports what is wrong at one place of the workflow. */
export type Report = (code: string, message: string, fix: string) => void;

const LISTS = ['errors', 'warnings'] as const;

/** Collects what was found, each thing once. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly #seen = new Set<string>();
  readonly #left = { errors: 0, warnings: 0 };

  /** Reports on a place of a node, or of the workflow where that is null: errors are what n8n refuses or fails at, warnings what it lets pass. */
  at(node: string | null, path: string): { error: Report; warn: Report } {
    return {
      error: (code, message, fix) => this.#take('errors', { code, node, path, message, fix }),
      warn: (code, message, fix) => this.#take('warnings', { code, node, path, message, fix }),
    };
  }

  /** What was found about a node, its paths beginning at that node. */
  add(found: Findings, path: string): void {
    for (const list of LISTS) for (const finding of found[list]) this.#take(list, { ...finding, path: `${path}${finding.path}` });
  }

  /** Says how many were left out, where there were too many to read. */
  summarize(): void {
    for (const list of LISTS) {
      const count = this.#left[list];
      const [message, fix] = [`${count} more ${list} are not listed`, 'Fix those above, then validate again'];
      if (count > 0) this[list].push({ code: 'more', node: null, path: '', message, fix });
    }
  }

  #take(list: (typeof LISTS)[number], finding: Finding): void {
    const key = `${finding.code}\n${finding.path}\n${finding.message}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (this[list].length < MOST_LISTED) this[list].push(finding);
    else this.#left[list]++;
  }
}

const MOST_LISTED = 500;
const MOST_SHOWN = 100;

/** Foreign text in a message: quoted and bounded. */
export function quoted(value: unknown): string {
  const text = textOf(value);
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  return `"${shown.replaceAll(/[\r\n\t]+/g, ' ')}"`;
}

/** A list of choices, not longer than a person reads. */
export function listed(values: Iterable<unknown>, most = 20): string {
  const all = Array.from(values, textOf);
  const shown = all.slice(0, most).join(', ');
  return all.length > most ? `${shown}, … (${all.length} in all)` : shown;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
}

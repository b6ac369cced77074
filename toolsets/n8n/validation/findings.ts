import type { Finding } from '../ports.ts';

/** Collects what was found, each thing once. */
export class Findings {
  readonly errors: Finding[] = [];
  readonly warnings: Finding[] = [];
  readonly #seen = new Set<string>();

  /** What n8n refuses, or fails at. */
  error(finding: Finding): void {
    if (this.#isNew(finding)) this.errors.push(finding);
  }

  /** What n8n lets pass, though it is hardly meant so. */
  warn(finding: Finding): void {
    if (this.#isNew(finding)) this.warnings.push(finding);
  }

  /** What was found about a node, its paths beginning at that node. */
  add({ errors, warnings }: Findings, path: string): void {
    for (const finding of errors) this.error({ ...finding, path: `${path}${finding.path}` });
    for (const finding of warnings) this.warn({ ...finding, path: `${path}${finding.path}` });
  }

  #isNew({ code, path, message }: Finding): boolean {
    const key = `${code}\n${path}\n${message}`;
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

const MOST_SHOWN = 100;

/** Foreign text in a message: quoted and bounded. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const shown = text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
  return `"${shown.replaceAll(/[\r\n\t]+/g, ' ')}"`;
}

/** A list of choices, not longer than a person reads. */
export function listed(values: Iterable<unknown>, most = 20): string {
  const all = Array.from(values, (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))));
  const shown = all.slice(0, most).join(', ');
  return all.length > most ? `${shown}, … (${all.length} in all)` : shown;
}

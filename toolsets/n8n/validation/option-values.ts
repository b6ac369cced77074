import { nearest } from '@millrace/kernel';
import { isGroup, type Property } from '../catalogue/description.ts';
import { listed, quoted } from './findings.ts';
import type { ValueContext } from './parameter-values.ts';
import { isObject } from './shape.ts';

/** Values that n8n accepts though the descriptions do not list them. */
const ALSO_ACCEPTED = new Set(['__CUSTOM_API_CALL__']);
const ALSO_ACCEPTED_BY: Record<string, string[]> = { 'n8n-nodes-base.code': ['python'] };

/** The kind of a form's field: what n8n does not know becomes a line of text. */
const TOLERANT = new Set(['fieldType']);

/** A value that is none of those which a parameter offers. */
export function checkOption(shown: Property[], chosen: unknown[], { findings, node, path }: ValueContext): void {
  if (shown.some(isOpen)) return;
  const known = new Set(
    shown.flatMap((property) => (property.options ?? []).flatMap((option) => (isGroup(option) ? [] : [String(option.value)]))),
  );
  if (known.size === 0) return;
  const name = path.slice(path.lastIndexOf('.') + 1);
  for (const value of chosen) {
    if (isObject(value) || value === '' || (typeof value === 'string' && value.startsWith('='))) continue;
    const written = String(value);
    if (known.has(written) || ALSO_ACCEPTED.has(written) || ALSO_ACCEPTED_BY[node.type]?.includes(written)) continue;
    const [close] = nearest(written, known, 1);
    findings[TOLERANT.has(name) ? 'warn' : 'error']({
      code: 'invalid_option',
      node: node.name,
      path,
      message: `${quoted(value)} is none of the values of ${name}`,
      fix: close ? `Use ${close}, or another of ${listed(known)}` : `Use one of ${listed(known)}`,
    });
  }
}

/** Its values are those of a service, or whatever is written. */
function isOpen({ allowArbitraryValues, typeOptions }: Property): boolean {
  return Boolean(allowArbitraryValues || typeOptions?.['loadOptionsMethod'] || typeOptions?.['loadOptions']);
}

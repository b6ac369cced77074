import { record } from '../../document/parse.ts';
import type { Findings } from '../findings.ts';
import type { Kind, RelationKind } from '../ontology.ts';
import { list, type Manifest, text } from './manifest.ts';

const KINDS: Readonly<Record<string, Kind>> = {
  component: 'service',
  api: 'service',
  system: 'service',
  resource: 'database',
  group: 'team',
};

export function isCatalog({ data }: Manifest): boolean {
  return text(data.apiVersion).startsWith('backstage.io/');
}

/** A software catalogue entry (catalog-info.yaml): what it is, who owns it, what it depends on. */
export function readCatalog({ data, lineOf }: Manifest, findings: Findings): void {
  const metadata = record(data.metadata);
  const spec = record(data.spec);
  const name = text(metadata?.name);
  const kind = KINDS[text(data.kind).toLowerCase()];
  if (!name || !kind || !findings.add({ name, kind, line: lineOf('metadata', 'name'), description: text(metadata?.description) })) return;
  const relate = (key: string, relation: RelationKind, reversed = false) => {
    for (const reference of [...list(spec?.[key]), spec?.[key]].map(text).filter(Boolean)) {
      const [, prefix, own = ''] = /^(?:(\w+):)?(?:[\w-]+\/)?([\w.-]+)$/.exec(reference) ?? [];
      const other = KINDS[(prefix ?? '').toLowerCase()] ?? (relation === 'owns' ? 'team' : 'service');
      const line = lineOf('spec', key);
      if (prefix === 'user' || !own || !findings.add({ name: own, kind: other, line })) continue;
      const [source, target] = reversed ? [own, name] : [name, own];
      findings.relate({ source, target, kind: relation, line, evidence: `${name}: ${key} ${reference}` });
    }
  };
  relate('owner', 'owns', true);
  relate('dependsOn', 'depends');
  relate('consumesApis', 'uses');
}

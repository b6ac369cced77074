import { posix } from 'node:path';
import { record } from '../../document/parse.ts';
import type { Findings } from '../findings.ts';
import { kindOfName } from '../mentions.ts';
import type { Kind, RelationKind } from '../ontology.ts';
import { technologyOfPackage } from '../technologies.ts';
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

/** Folders whose subfolders are services. */
const HOMES = new Set(['services', 'service', 'apps', 'microservices']);

export function isCodeOwners(path: string): boolean {
  return posix.basename(path).toUpperCase() === 'CODEOWNERS';
}

/** CODEOWNERS: teams own the services whose folders they are named for. People are left out. */
export function readCodeOwners(content: string, findings: Findings): void {
  for (const [index, raw] of content.split('\n').entries()) {
    const [pattern = '', ...owners] = raw
      .replace(/(?:^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    const service = serviceOf(pattern);
    const teams = owners.flatMap((owner) => /^@[\w.-]+\/([\w.-]+)$/.exec(owner)?.[1] ?? []);
    if (!service || teams.length === 0 || !findings.add({ name: service, kind: 'service', line: index + 1 })) continue;
    for (const team of teams) {
      findings.add({ name: team, kind: 'team', line: index + 1 });
      findings.relate({ source: team, target: service, kind: 'owns', line: index + 1, evidence: raw.trim() });
    }
  }
}

function serviceOf(pattern: string): string | undefined {
  const parts = pattern.split('/').filter((part) => part && !part.includes('*'));
  const home = parts.findIndex((part) => HOMES.has(part));
  const named = home >= 0 ? parts[home + 1] : parts.findLast((part) => kindOfName(part) === 'service');
  return named && !/\.\w+$/.test(named) ? named : undefined;
}

export function isPackage(path: string, { data }: Manifest): boolean {
  return posix.basename(path) === 'package.json' && text(data.name) !== '';
}

/** package.json: a service if it can be started or is named like one, else a library; its drivers show what it uses. */
export function readPackage({ data, lineOf }: Manifest, findings: Findings): void {
  const full = text(data.name);
  const name = shortName(full);
  const kind = kindOfName(name) ?? (record(data.scripts)?.start === undefined ? 'library' : 'service');
  if (!findings.add({ name, kind, line: lineOf('name'), description: text(data.description), aliases: full === name ? [] : [full] }))
    return;
  for (const dependency of Object.keys(record(data.dependencies) ?? {})) {
    const line = lineOf('dependencies', dependency);
    const technology = technologyOfPackage(dependency);
    const target = technology ?? siblingOf(full, dependency);
    if (target && findings.add({ name: target.name, kind: target.kind, line })) {
      const evidence = `${full} depends on ${dependency}`;
      findings.relate({ source: name, target: target.name, kind: technology ? 'uses' : 'depends', line, evidence });
    }
  }
}

/** A package of the same scope. */
function siblingOf(full: string, dependency: string): { name: string; kind: Kind } | undefined {
  const scope = /^[^/]*\//.exec(full)?.[0];
  if (scope === undefined || !dependency.startsWith(scope)) return undefined;
  const name = shortName(dependency);
  return { name, kind: kindOfName(name) ?? 'library' };
}

function shortName(name: string): string {
  return name.replace(/^.*\//s, '');
}

import { posix } from 'node:path';
import { record } from '../../document/parse.ts';
import type { Findings } from '../findings.ts';
import { kindOfName } from '../mentions.ts';
import type { Kind } from '../ontology.ts';
import { technologyOfPackage } from '../technologies.ts';
import { type Manifest, text } from './manifest.ts';

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

import { posix } from 'node:path';
import { record } from '../../document/parse.ts';
import type { Findings } from '../findings.ts';
import { kindOfName } from '../mentions.ts';
import { technologyOfPackage } from '../technologies.ts';
import { type Manifest, text } from './manifest.ts';

export function isPackage(path: string, { data }: Manifest): boolean {
  return posix.basename(path) === 'package.json' && text(data.name) !== '';
}

/** package.json: a service where it can be started or its name says so, else a library; the drivers it installs say what it uses. */
export function readPackage({ data, lineOf }: Manifest, findings: Findings): void {
  const full = text(data.name);
  const name = shortName(full);
  const kind = kindOfName(name) ?? (record(data.scripts)?.start === undefined ? 'library' : 'service');
  if (!findings.add({ name, kind, line: lineOf('name'), description: text(data.description), aliases: full === name ? [] : [full] }))
    return;
  const scope = full.includes('/') ? full.split('/')[0] : undefined;
  for (const dependency of Object.keys(record(data.dependencies) ?? {})) {
    const line = lineOf('dependencies', dependency);
    const technology = technologyOfPackage(dependency);
    const statement = { source: name, line, evidence: `${full} depends on ${dependency}` };
    const isSibling = !technology && scope !== undefined && dependency.startsWith(`${scope}/`);
    const target = technology?.name ?? (isSibling ? shortName(dependency) : undefined);
    if (target !== undefined && findings.add({ name: target, kind: technology?.kind ?? kindOfName(target) ?? 'library', line }))
      findings.relate({ ...statement, target, kind: technology ? 'uses' : 'depends' });
  }
}

function shortName(name: string): string {
  return name.replace(/^.*\//s, '');
}

import { posix } from 'node:path';
import type { Findings } from '../findings.ts';
import { kindOfName } from '../mentions.ts';

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

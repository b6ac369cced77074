import { entityKey } from '../../schema.ts';
import type { Findings } from '../findings.ts';
import { TECHNOLOGIES, type Technology, technologyOfScheme } from '../technologies.ts';

const BY_KEY = new Map(
  TECHNOLOGIES.flatMap((technology) => [technology.name, ...technology.aliases].map((name) => [entityKey(name), technology] as const)),
);
const GENERIC = new Set(['db', 'database', 'cache', 'queue', 'broker', 'store', 'data']);

/** The technology that a container image is: `bitnami/postgresql:15` is PostgreSQL. */
export function technologyOfImage(image: string): Technology | undefined {
  const name = (image.split('/').at(-1) ?? '').split(/[:@]/)[0] ?? '';
  return BY_KEY.get(entityKey(name)) ?? BY_KEY.get(entityKey(name.replace(/^cp-|-(?:server|alpine|cluster|ha)$/g, '')));
}

/** What a container is called in the graph: its own name, or the technology where its name says nothing. */
export function containerName(name: string, image: string): string {
  const technology = technologyOfImage(image);
  return technology && (GENERIC.has(name.toLowerCase()) || BY_KEY.get(entityKey(name)) === technology) ? technology.name : name;
}

/** Whom values of settings such as `postgres://db:5432` or `http://orders:8080` lead to. */
export function connectionsIn(value: string, hosts: ReadonlyMap<string, string>, findings: Findings, line: number): string[] {
  const targets: string[] = [];
  for (const [, scheme = '', host = ''] of value.matchAll(/([a-z][a-z0-9+.-]*):\/\/(?:[^@/\s]*@)?([A-Za-z0-9_-]+)/g)) {
    const named = hosts.get(host);
    const technology = technologyOfScheme(scheme);
    if (named) targets.push(named);
    else if (technology && findings.add({ name: technology.name, kind: technology.kind, line })) targets.push(technology.name);
  }
  for (const [, host = ''] of value.matchAll(/^([A-Za-z][A-Za-z0-9-]*)(?:\.[\w.-]+)?(?::\d+)?$/g)) {
    const named = hosts.get(host);
    if (named) targets.push(named);
  }
  return targets;
}

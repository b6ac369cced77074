import { record } from '../../document/parse.ts';
import { entityKey } from '../../schema.ts';
import type { Findings } from '../findings.ts';
import { TECHNOLOGIES, type Technology, technologyOfScheme } from '../technologies.ts';
import { list, type Manifest, text } from './manifest.ts';
import { isCatalog } from './repository.ts';

const BY_KEY = new Map(
  TECHNOLOGIES.flatMap((technology) => [technology.name, ...technology.aliases].map((name) => [entityKey(name), technology] as const)),
);
const GENERIC = new Set(['db', 'database', 'cache', 'queue', 'broker', 'store', 'data']);
const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Rollout']);

/** A container that a manifest starts. */
interface Container {
  /** As the manifest calls it; other containers reach it under this host name. */
  host: string;
  /** As the graph calls it: by its technology where the host name says nothing. */
  name: string;
  image: string;
  line: number;
}

/** The technology that a container image is: `bitnami/postgresql:15` is PostgreSQL. */
function technologyOfImage(image: string): Technology | undefined {
  const name = (image.split('/').at(-1) ?? '').split(/[:@]/)[0] ?? '';
  return BY_KEY.get(entityKey(name)) ?? BY_KEY.get(entityKey(name.replace(/^cp-|-(?:server|alpine|cluster|ha)$/g, '')));
}

function containerOf(host: string, image: string, line: number): Container {
  const technology = technologyOfImage(image);
  const isUnnamed = technology && (GENERIC.has(host.toLowerCase()) || BY_KEY.get(entityKey(host)) === technology);
  return { host, name: isUnnamed ? technology.name : host, image, line };
}

function addContainers(containers: readonly Container[], findings: Findings): void {
  for (const { name, image, line } of containers)
    findings.add({ name, kind: technologyOfImage(image)?.kind ?? 'service', line, description: image && `Container of ${image}` });
}

/** States what a setting such as `postgres://db:5432` or `http://orders:8080` connects the container to. */
function readSetting(
  { host, name }: Container,
  setting: { variable: string; value: string; line: number },
  hosts: ReadonlyMap<string, string>,
  findings: Findings,
): void {
  const { variable, value, line } = setting;
  const targets: string[] = [];
  for (const [, scheme = '', other = ''] of value.matchAll(/([a-z][a-z0-9+.-]*):\/\/(?:[^@/\s]*@)?([A-Za-z0-9_-]+)/g)) {
    const named = hosts.get(other);
    const technology = technologyOfScheme(scheme);
    if (named) targets.push(named);
    else if (technology && findings.add({ name: technology.name, kind: technology.kind, line })) targets.push(technology.name);
  }
  for (const [, other = ''] of value.matchAll(/^([A-Za-z][A-Za-z0-9-]*)(?:\.[\w.-]+)?(?::\d+)?$/g)) targets.push(hosts.get(other) ?? '');
  for (const target of targets.filter(Boolean))
    findings.relate({ source: name, target, kind: 'uses', line, evidence: `${host}: ${variable} connects to ${target}` });
}

export function isCompose(path: string, { data }: Manifest): boolean {
  const services = record(data.services);
  return (
    services !== undefined &&
    (/(?:^|\/)(?:docker-)?compose[^/]*\.ya?ml$/i.test(path) ||
      Object.values(services).some((service) => record(service)?.image !== undefined))
  );
}

/** docker-compose: services, what they depend on and which connections their settings open. */
export function readCompose({ data, lineOf }: Manifest, findings: Findings): void {
  const services = Object.entries(record(data.services) ?? {}).flatMap(([key, value]) => {
    const service = record(value);
    return service ? [{ service, container: containerOf(key, text(service.image), lineOf('services', key)) }] : [];
  });
  addContainers(
    services.map(({ container }) => container),
    findings,
  );
  const hosts = new Map(services.map(({ container: { host, name } }) => [host, name]));
  for (const { service, container } of services) {
    const { host, name: source } = container;
    const line = lineOf('services', host, service.depends_on === undefined ? 'links' : 'depends_on');
    for (const dependency of [...namesIn(service.depends_on), ...namesIn(service.links).map((link) => link.replace(/:.*/s, ''))]) {
      const target = hosts.get(dependency);
      if (target) findings.relate({ source, target, kind: 'depends', line, evidence: `${host} depends on ${dependency}` });
    }
    for (const [variable, value] of settingsOf(service.environment))
      readSetting(container, { variable, value, line: lineOf('services', host, 'environment') }, hosts, findings);
  }
}

function namesIn(value: unknown): string[] {
  return [...list(value).map(text), ...Object.keys(record(value) ?? {})];
}

function settingsOf(environment: unknown): [string, string][] {
  const listed = list(environment).map((entry) => text(entry).split(/=(.*)/s));
  return [
    ...listed.map(([name = '', value = '']): [string, string] => [name, value]),
    ...Object.entries(record(environment) ?? {}).map(([name, value]): [string, string] => [name, text(value)]),
  ];
}

export function isKubernetes(manifest: Manifest): boolean {
  const { apiVersion, kind, metadata } = manifest.data;
  return text(apiVersion) !== '' && text(kind) !== '' && record(metadata) !== undefined && !isCatalog(manifest);
}

interface Workload extends Container {
  manifest: Manifest;
  settings: readonly unknown[];
}

/** Kubernetes: workloads are services, their settings show what they connect to, labels who owns them. */
export function readKubernetes(manifests: readonly Manifest[], findings: Findings): void {
  const workloads = manifests.flatMap(workloadOf);
  const hosts = new Map(workloads.map(({ host, name }) => [host, name]));
  for (const { data } of manifests) {
    const named = hosts.get(text(record(record(data.spec)?.selector)?.app));
    if (text(data.kind) === 'Service' && named) hosts.set(text(record(data.metadata)?.name), named);
  }
  addContainers(workloads, findings);
  for (const workload of workloads) {
    const line = workload.manifest.lineOf('spec', 'template', 'spec', 'containers');
    for (const setting of workload.settings.map(record)) {
      const value = text(setting?.value).replace(/\.svc\b[\w.-]*/, '');
      readSetting(workload, { variable: text(setting?.name), value, line }, hosts, findings);
    }
    readOwner(workload, findings);
  }
}

function workloadOf(manifest: Manifest): Workload[] {
  const { data, lineOf } = manifest;
  const host = text(record(data.metadata)?.name);
  if (!WORKLOADS.has(text(data.kind)) || !host) return [];
  const spec = record(data.spec);
  const job = record(record(spec?.jobTemplate)?.spec) ?? spec;
  const containers = list(record(record(job?.template)?.spec)?.containers).map(record);
  const container = containerOf(host, text(containers[0]?.image), lineOf('metadata', 'name'));
  return [{ ...container, manifest, settings: containers.flatMap((one) => list(one?.env)) }];
}

function readOwner({ name, host, manifest }: Workload, findings: Findings): void {
  const metadata = record(manifest.data.metadata);
  for (const holder of ['labels', 'annotations']) {
    for (const key of ['team', 'owner']) {
      const team = text(record(metadata?.[holder])?.[key]);
      const line = manifest.lineOf('metadata', holder, key);
      if (team && !team.includes('@') && findings.add({ name: team, kind: 'team', line }))
        findings.relate({ source: team, target: name, kind: 'owns', line, evidence: `${host}: ${key} is ${team}` });
    }
  }
}

import type { Findings } from '../findings.ts';
import { connectionsIn, containerName, technologyOfImage } from './images.ts';
import { list, type Manifest, record, text } from './yaml-lines.ts';

const STATED = 1;
const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob', 'Job', 'Rollout']);

export function isKubernetes({ data }: Manifest): boolean {
  return text(data.apiVersion) !== '' && text(data.kind) !== '' && record(data.metadata) !== undefined && !isCatalog({ data });
}

function isCatalog({ data }: Pick<Manifest, 'data'>): boolean {
  return text(data.apiVersion).startsWith('backstage.io/');
}

interface Workload {
  name: string;
  own: string;
  image: string;
  line: number;
  manifest: Manifest;
  containers: Record<string, unknown>[];
}

/** Kubernetes: workloads are services, their settings say whom they connect to, labels who owns them. */
export function readKubernetes(manifests: readonly Manifest[], findings: Findings): void {
  const workloads = manifests.flatMap(workloadOf);
  const hosts = new Map(workloads.map(({ own, name }) => [own, name]));
  for (const { data } of manifests) {
    const selector = text(record(record(data.spec)?.selector)?.app);
    const named = hosts.get(selector);
    if (text(data.kind) === 'Service' && named) hosts.set(text(record(data.metadata)?.name), named);
  }
  for (const { name, image, line } of workloads)
    findings.add({ name, kind: technologyOfImage(image)?.kind ?? 'service', line, description: image && `Container of ${image}` });
  for (const workload of workloads) {
    readConnections(workload, hosts, findings);
    readOwner(workload, findings);
  }
}

function workloadOf(manifest: Manifest): Workload[] {
  const { data, lineOf } = manifest;
  const own = text(record(data.metadata)?.name);
  if (!WORKLOADS.has(text(data.kind)) || !own) return [];
  const spec = record(data.spec);
  const job = record(record(spec?.jobTemplate)?.spec) ?? spec;
  const pod = record(record(job?.template)?.spec);
  const containers = list(pod?.containers).map((container) => record(container) ?? {});
  const image = text(containers[0]?.image);
  return [{ name: containerName(own, image), own, image, line: lineOf('metadata', 'name'), manifest, containers }];
}

function readConnections({ name, own, containers, manifest }: Workload, hosts: ReadonlyMap<string, string>, findings: Findings): void {
  const line = manifest.lineOf('spec', 'template', 'spec', 'containers');
  for (const container of containers) {
    for (const entry of list(container.env)) {
      const value = text(record(entry)?.value).replace(/\.svc\b[\w.-]*/, '');
      for (const target of connectionsIn(value, hosts, findings, line)) {
        const evidence = `${own}: ${text(record(entry)?.name)} connects to ${target}`;
        findings.relate({ source: name, target, kind: 'uses', line, evidence, confidence: STATED });
      }
    }
  }
}

function readOwner({ name, own, manifest }: Workload, findings: Findings): void {
  const metadata = record(manifest.data.metadata);
  for (const holder of ['labels', 'annotations']) {
    for (const key of ['team', 'owner']) {
      const team = text(record(metadata?.[holder])?.[key]);
      const line = manifest.lineOf('metadata', holder, key);
      if (team && !team.includes('@') && findings.add({ name: team, kind: 'team', line })) {
        findings.relate({ source: team, target: name, kind: 'owns', line, evidence: `${own}: ${key} is ${team}`, confidence: STATED });
      }
    }
  }
}

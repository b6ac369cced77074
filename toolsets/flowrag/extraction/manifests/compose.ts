import type { Findings } from '../findings.ts';
import { connectionsIn, containerName, technologyOfImage } from './images.ts';
import { list, type Manifest, record, text } from './yaml-lines.ts';

const STATED = 1;

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
    return service ? [{ key, service, image: text(service.image) }] : [];
  });
  const names = new Map(services.map(({ key, image }) => [key, containerName(key, image)]));
  for (const { key, image } of services) {
    const kind = technologyOfImage(image)?.kind ?? 'service';
    findings.add({ name: names.get(key) as string, kind, line: lineOf('services', key), description: image && `Container of ${image}` });
  }
  for (const { key, service } of services) {
    const source = names.get(key) as string;
    const relate = (target: string, kind: 'depends' | 'uses', line: number, evidence: string) =>
      findings.relate({ source, target, kind, line, evidence, confidence: STATED });
    for (const dependency of [...namesIn(service.depends_on), ...namesIn(service.links).map((link) => link.split(':')[0] as string)]) {
      const target = names.get(dependency);
      if (target)
        relate(
          target,
          'depends',
          lineOf('services', key, service.depends_on === undefined ? 'links' : 'depends_on'),
          `${key} depends on ${dependency}`,
        );
    }
    const line = lineOf('services', key, 'environment');
    for (const [variable, value] of settingsOf(service.environment)) {
      for (const target of connectionsIn(value, names, findings, line))
        relate(target, 'uses', line, `${key}: ${variable} connects to ${target}`);
    }
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

import { cleanName, type Findings } from '../findings.ts';
import { technologyOfScheme } from '../technologies.ts';
import { type Manifest, record, text } from './yaml-lines.ts';

const STATED = 1;

export function isOpenApi({ data }: Manifest): boolean {
  return record(data.info) !== undefined && ['openapi', 'swagger', 'asyncapi'].some((key) => text(data[key]) !== '');
}

/** OpenAPI and AsyncAPI: the service that the title names, how it authenticates, which channels it produces and consumes. */
export function readOpenApi({ data, lineOf }: Manifest, findings: Findings): void {
  const info = record(data.info);
  const name = cleanName(text(info?.title));
  const description = text(info?.description).split('\n')[0] ?? '';
  if (!findings.add({ name, kind: 'service', line: lineOf('info', 'title'), description })) return;
  const uses = (target: string, line: number, evidence: string) =>
    findings.relate({ source: name, target, kind: 'uses', line, evidence, confidence: STATED });
  for (const [key, scheme] of Object.entries(record(record(data.components)?.securitySchemes) ?? record(data.securityDefinitions) ?? {})) {
    const protocol = { oauth2: 'OAuth 2.0', openidconnect: 'OpenID Connect' }[text(record(scheme)?.type).toLowerCase()];
    const line = lineOf('components', 'securitySchemes', key);
    if (protocol && findings.add({ name: protocol, kind: 'protocol', line }))
      uses(protocol, line, `${name}: security scheme ${key} is ${protocol}`);
  }
  if (text(data.asyncapi)) readAsyncApi(name, { data, lineOf }, uses, findings);
}

function readAsyncApi(
  name: string,
  { data, lineOf }: Manifest,
  uses: (target: string, line: number, evidence: string) => void,
  findings: Findings,
): void {
  for (const server of Object.values(record(data.servers) ?? {})) {
    const technology = technologyOfScheme(text(record(server)?.protocol));
    const line = lineOf('servers');
    if (technology && findings.add({ name: technology.name, kind: technology.kind, line }))
      uses(technology.name, line, `${name}: server protocol ${technology.name}`);
  }
  for (const [channel, value] of Object.entries(record(data.channels) ?? {})) {
    const line = lineOf('channels', channel);
    const operations = record(value) ?? {};
    // In AsyncAPI 2 "subscribe" is what clients may do: the application itself produces there.
    for (const [operation, kind] of [
      ['subscribe', 'produces'],
      ['publish', 'consumes'],
    ] as const) {
      if (operations[operation] === undefined || !findings.add({ name: channel, kind: 'topic', line })) continue;
      findings.relate({
        source: name,
        target: channel,
        kind,
        line,
        evidence: `${name}: ${operation} on channel ${channel}`,
        confidence: STATED,
      });
    }
  }
  for (const [key, value] of Object.entries(record(data.operations) ?? {})) {
    const operation = record(value);
    const channel = text(record(operation?.channel)?.$ref).split('/').at(-1) ?? '';
    const kind = { send: 'produces', receive: 'consumes' }[text(operation?.action)] as 'produces' | 'consumes' | undefined;
    const line = lineOf('operations', key);
    if (!kind || !channel || !findings.add({ name: channel, kind: 'topic', line })) continue;
    findings.relate({
      source: name,
      target: channel,
      kind,
      line,
      evidence: `${name}: ${text(operation?.action)} on channel ${channel}`,
      confidence: STATED,
    });
  }
}

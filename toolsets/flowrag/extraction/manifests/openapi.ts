import { record } from '../../document/parse.ts';
import { cleanName, type Findings } from '../findings.ts';
import type { RelationKind } from '../ontology.ts';
import { technologyOfScheme } from '../technologies.ts';
import { type Manifest, text } from './manifest.ts';

const PROTOCOLS: Readonly<Record<string, string>> = { oauth2: 'OAuth 2.0', openidconnect: 'OpenID Connect' };
/** AsyncAPI 3 says what the application does. */
const OPERATIONS: Readonly<Record<string, RelationKind>> = { send: 'produces', receive: 'consumes' };
/** In AsyncAPI 2 "subscribe" is what clients may do: the application itself produces there. */
const CLIENT_OPERATIONS: Readonly<Record<string, RelationKind>> = { subscribe: 'produces', publish: 'consumes' };

export function isOpenApi({ data }: Manifest): boolean {
  return record(data.info) !== undefined && ['openapi', 'swagger', 'asyncapi'].some((key) => text(data[key]) !== '');
}

/** OpenAPI and AsyncAPI: the service that the title names, how it authenticates, which channels it produces and consumes. */
export function readOpenApi(manifest: Manifest, findings: Findings): void {
  const { data, lineOf } = manifest;
  const info = record(data.info);
  const name = cleanName(text(info?.title));
  const description = text(info?.description).split('\n')[0] ?? '';
  if (!findings.add({ name, kind: 'service', line: lineOf('info', 'title'), description })) return;
  for (const [key, scheme] of Object.entries(record(record(data.components)?.securitySchemes) ?? record(data.securityDefinitions) ?? {})) {
    const protocol = PROTOCOLS[text(record(scheme)?.type).toLowerCase()];
    const line = lineOf('components', 'securitySchemes', key);
    if (protocol && findings.add({ name: protocol, kind: 'protocol', line }))
      findings.relate({ source: name, target: protocol, kind: 'uses', line, evidence: `${name}: security scheme ${key} is ${protocol}` });
  }
  if (text(data.asyncapi)) readAsyncApi(name, manifest, findings);
}

function readAsyncApi(name: string, manifest: Manifest, findings: Findings): void {
  const line = manifest.lineOf('servers');
  for (const server of Object.values(record(manifest.data.servers) ?? {})) {
    const technology = technologyOfScheme(text(record(server)?.protocol));
    if (technology && findings.add({ name: technology.name, kind: technology.kind, line }))
      findings.relate({
        source: name,
        target: technology.name,
        kind: 'uses',
        line,
        evidence: `${name}: server protocol ${technology.name}`,
      });
  }
  for (const { channel, operation, kind, line: stated } of channelsOf(manifest)) {
    if (kind && channel && findings.add({ name: channel, kind: 'topic', line: stated }))
      findings.relate({ source: name, target: channel, kind, line: stated, evidence: `${name}: ${operation} on channel ${channel}` });
  }
}

interface ChannelOperation {
  channel: string;
  operation: string;
  kind: RelationKind | undefined;
  line: number;
}

/** What is done on which channel: stated below the channels in AsyncAPI 2, apart from them in AsyncAPI 3. */
function channelsOf({ data, lineOf }: Manifest): ChannelOperation[] {
  const below = Object.entries(record(data.channels) ?? {}).flatMap(([channel, value]) =>
    Object.entries(CLIENT_OPERATIONS)
      .filter(([operation]) => record(value)?.[operation] !== undefined)
      .map(([operation, kind]) => ({ channel, operation, kind, line: lineOf('channels', channel) })),
  );
  const apart = Object.entries(record(data.operations) ?? {}).map(([key, value]) => {
    const operation = text(record(value)?.action);
    const channel =
      text(record(record(value)?.channel)?.$ref)
        .split('/')
        .at(-1) ?? '';
    return { channel, operation, kind: OPERATIONS[operation], line: lineOf('operations', key) };
  });
  return [...below, ...apart];
}

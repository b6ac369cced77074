import { isRecord, recordOf } from '@millrace/kernel';
import type { WorkflowNode } from '../../document/workflow/model.ts';
import type { CredentialDescription, Property, TypeDescription } from '../types/description.ts';
import { attemptedParameters } from '../types/node-ports.ts';
import type { OpenedPack } from '../types/opened-pack.ts';
import type { ParameterIssues, Parameters, RuledNode } from '../types/parameter-rules.ts';
import { fallibleProperties, relevantProperties } from '../types/relevant-properties.ts';
import type { NodeType } from '../types/type-store.ts';
import { type Findings, listed, quoted } from './findings.ts';
import { checkValues } from './parameter-values.ts';
import type { PlacedNode } from './shape.ts';

export interface ParameterCheck {
  pack: OpenedPack;
  type: NodeType;
  placed: PlacedNode;
  /** Connected, or a trigger: n8n does not look at the others. */
  inUse: boolean;
  findings: Findings;
}

/** n8n's own rules on a node's parameters, and what those let through. Returns the parameters as the node will run with them. */
export function checkParameters({ pack, type, placed: { node, path }, inUse, findings }: ParameterCheck): Parameters {
  const parameters = recordOf(node.parameters);
  const resolved = attemptedParameters(pack, type, { ...node, parameters });
  if (!resolved) {
    reportUnreadable({ pack, type, placed: { node, path }, findings }, parameters);
    return parameters;
  }
  if (node.disabled === true) return resolved;
  const ruled = { ...node, typeVersion: node.typeVersion ?? type.entry.newest, parameters: resolved };
  const context = { pack, type, node: ruled, path: `${path}.parameters`, findings };
  checkValues(type.description.properties, parameters, context);
  const relevant = relevantProperties(type.description, ruled.typeVersion, parameters);
  const issues = issuesOf(() => pack.rules.getNodeParametersIssues(fallibleProperties(relevant), ruled, type.description));
  for (const [name, messages] of Object.entries(issues?.parameters ?? {})) {
    for (const message of messages) {
      const at = findings.at(node.name, `${path}.parameters.${name}`);
      at[inUse ? 'error' : 'warn'](...issueFinding(name, message, type.description));
    }
  }
  for (const name of missingOfOtherKinds(fallibleProperties(relevant), ruled, { pack, type })) {
    const message = `The parameter ${name} is required, though n8n starts without it`;
    findings.at(node.name, `${path}.parameters.${name}`).warn('required_parameter', message, `Set ${name}`);
  }
  return resolved;
}

/** n8n's own code fails on these parameters, before it looks at what is shown and what is not. */
function reportUnreadable({ pack, type, placed: { node, path }, findings }: Omit<ParameterCheck, 'inUse'>, parameters: Parameters): void {
  const ruled = { ...node, typeVersion: node.typeVersion ?? type.entry.newest, parameters };
  const context = { pack, type, node: ruled, path: `${path}.parameters`, findings, isEverythingShown: true };
  checkValues(type.description.properties, parameters, context);
  if (findings.errors.length > 0) return;
  const fix = 'Write lists where lists belong and objects where objects belong; node_add shows how new ones look';
  findings.at(node.name, context.path).error('invalid_value', 'n8n cannot read these parameters', fix);
}

/** The kinds of parameters that n8n's rules look at when they are required. */
const CHECKED_BY_N8N = new Set(['string', 'multiOptions', 'dateTime', 'options', 'resourceLocator', 'workflowSelector', 'agentSelector']);

/** Required parameters of other kinds that have no value. */
function missingOfOtherKinds(properties: Property[], node: RuledNode, { pack, type }: { pack: OpenedPack; type: NodeType }): string[] {
  const empty = properties.filter(
    (property) => property.required && !CHECKED_BY_N8N.has(property.type) && (node.parameters[property.name] ?? '') === '',
  );
  return empty.filter((property) => pack.rules.displayParameter(node.parameters, property, node, type.description)).map(({ name }) => name);
}

/** n8n would fail the same way; the other checks have reported parameters that broken. */
function issuesOf(check: () => ParameterIssues | null): ParameterIssues | null {
  try {
    return check();
  } catch {
    return null;
  }
}

function issueFinding(name: string, message: string, { properties }: TypeDescription): [code: string, message: string, fix: string] {
  if (!message.endsWith('is required.')) return ['invalid_parameter', message.slice(0, 300), `Change ${name} to what the message says`];
  return ['required_parameter', `The parameter ${name} is required`, `Set ${name}${hint(properties, name)}`];
}

function hint(properties: Property[], name: string): string {
  const property = properties.find((candidate) => candidate.name === name);
  const values =
    property?.type === 'options' ? property.options?.flatMap((option) => ('value' in option ? [option.value] : [])) : undefined;
  return values && values.length > 0 ? ` to one of ${listed(values)}` : '';
}

/** The credentials that a node cannot run without, given its parameters; empty when it needs none. */
export function neededCredentials(pack: OpenedPack, type: NodeType, node: WorkflowNode, resolved: Parameters): string[] {
  const ruled = { ...node, typeVersion: node.typeVersion ?? type.entry.newest, parameters: resolved };
  const shown = (credential: CredentialDescription) => pack.rules.displayParameter(resolved, credential, ruled, type.description);
  const needed = (type.description.credentials ?? [])
    .filter((credential) => credential.required && shown(credential))
    .map(({ name }) => name);
  for (const chosen of ['nodeCredentialType', 'genericAuthType']) {
    const name = resolved[chosen];
    if (typeof name === 'string' && name !== '' && !name.startsWith('=')) needed.push(name);
  }
  return needed;
}

export function hasCredential(node: WorkflowNode, name: string): boolean {
  const given = node.credentials?.[name];
  return isRecord(given) || (typeof given === 'string' && given !== '');
}

/** Where a node may use one of several credentials, one of them is enough. */
export function checkCredentials(
  pack: OpenedPack,
  type: NodeType,
  { node, path }: PlacedNode,
  resolved: Parameters,
  findings: Findings,
): void {
  if (node.disabled === true) return;
  const needed = neededCredentials(pack, type, node, resolved);
  if (needed.length === 0 || needed.some((name) => hasCredential(node, name))) return;
  const fix = 'Choose one in n8n after the workflow is deployed, or name one of the instance in the file';
  const message = `${quoted(node.name)} needs a credential: ${needed.join(' or ')}`;
  findings.at(node.name, `${path}.credentials`).warn('credentials_missing', message, fix);
}

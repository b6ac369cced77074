import { type InputDefinition, isParameter, type NodeDefinition } from '../nodes/definition.ts';
import { isVisible } from '../nodes/visibility.ts';
import type { CheckedFlow, CheckedNode } from './check.ts';
import type { Finding } from './findings.ts';
import { quoted } from './findings.ts';
import { isEmpty, recordOf, textOf } from './node.ts';

/** What must be filled in is, and the credentials that are named exist. */
export function* checkValues(flow: CheckedFlow): Generator<Finding> {
  for (const node of flow.nodes) {
    if (!node.definition) continue;
    yield* checkParameters(node, node.definition);
    yield* checkCredential(node, node.definition, credentialOf(node), flow);
    yield* checkConfigs(node, node.definition, flow);
  }
}

function* checkParameters(node: CheckedNode, definition: NodeDefinition): Generator<Finding> {
  const { id, inputs } = node;
  for (const input of definition.inputs.filter(isParameter)) {
    if (!isVisible(input, inputs)) continue;
    if (isRequired(input) && !isFilled(input, inputs))
      yield { ...missing(id, input.name), ...(isDispensable(input, node) && { severity: 'warning' }) };
    const items = inputs[input.name];
    if (input.type === 'array' && Array.isArray(items)) yield* checkItems(id, input, items);
  }
}

function* checkItems(id: string, input: InputDefinition, items: unknown[]): Generator<Finding> {
  for (const [index, item] of items.entries()) {
    const values = recordOf(item) ?? {};
    for (const part of input.array ?? []) {
      if (!isRequired(part) || !isVisible(part, { ...values, [input.name]: items }, index)) continue;
      if (isEmpty(values[part.name]) || values[part.name] === '<p></p>') yield missing(id, `${input.name}[${index}].${part.name}`);
    }
  }
}

/** The settings of a model or tool that a node chooses. */
function* checkConfigs(node: CheckedNode, definition: NodeDefinition, flow: CheckedFlow): Generator<Finding> {
  for (const input of definition.inputs.filter((one) => one.loadConfig && isVisible(one, node.inputs))) {
    const chosen = textOf(node.inputs[input.name]);
    if (!chosen) continue;
    const component = flow.definitions.get(chosen);
    if (!component) {
      const message = `${quoted(node.id)} chooses ${quoted(chosen)} for ${input.name}, which this Flowise does not have`;
      yield { code: 'unknown_node', severity: 'error', node: node.id, message };
      continue;
    }
    const config = recordOf(node.inputs[`${input.name}Config`]) ?? {};
    for (const one of component.inputs.filter((part) => isParameter(part) && isRequired(part) && isVisible(part, config))) {
      if (isEmpty(config[one.name])) yield missing(node.id, `${input.name}Config.${one.name}`);
    }
    const credential = textOf(config['FLOWISE_CREDENTIAL_ID']) ?? textOf(config['credential']);
    yield* checkCredential(node, component, credential, flow);
  }
}

function* checkCredential(
  { id }: CheckedNode,
  definition: NodeDefinition,
  credential: string | undefined,
  flow: CheckedFlow,
): Generator<Finding> {
  const wanted = definition.credential?.credentialNames;
  if (!wanted) return;
  if (!credential) {
    if (definition.credential?.optional) return;
    const message = `${quoted(id)} needs a credential of the kind ${wanted.join(' or ')}`;
    yield { code: 'missing_credential', severity: 'error', node: id, message, fix: 'Name the id of a credential that Flowise has' };
    return;
  }
  if (!flow.credentials || flow.credentials.some((known) => known.id === credential)) return;
  const fitting = flow.credentials.filter((known) => wanted.includes(known.credentialName)).map((known) => known.id);
  const fix = fitting.length > 0 ? `Flowise has ${fitting.slice(0, 3).join(', ')}` : 'Add a credential of this kind in Flowise';
  yield {
    code: 'unknown_credential',
    severity: 'error',
    node: id,
    message: `${quoted(id)} names a credential that Flowise does not have`,
    fix,
  };
}

function credentialOf({ data, inputs }: CheckedNode): string | undefined {
  return textOf(data['credential']) ?? textOf(inputs['credential']) ?? textOf(inputs['FLOWISE_CREDENTIAL_ID']);
}

function isFilled({ name, tabs = [] }: InputDefinition, values: Record<string, unknown>): boolean {
  return !isEmpty(values[name]) || tabs.some((tab) => !isEmpty(values[tab.name]) || !isEmpty(tab.default));
}

function isRequired(input: InputDefinition): boolean {
  return !input.optional && input.type !== 'credential' && isEmpty(input.default);
}

/** The flow may well run without it: a file can come with the run, and an input of a later version was not there when the flow was made. */
function isDispensable(input: InputDefinition, { data }: CheckedNode): boolean {
  if (input.type === 'file') return true;
  const own = data['inputParams'];
  return Array.isArray(own) && !own.some((one) => recordOf(one)?.['name'] === input.name);
}

function missing(id: string, name: string): Finding {
  return {
    code: 'missing_value',
    severity: 'error',
    node: id,
    message: `${quoted(id)} needs a value for ${quoted(name)}`,
    fix: `Set inputs.${name}`,
  };
}

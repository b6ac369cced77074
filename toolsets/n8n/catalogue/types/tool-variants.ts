import { isGroup, type Property, type TypeDescription } from './description.ts';

/** n8n makes further types of many nodes when it starts: `xTool`, for agents, and `xHitlTool`, which asks a person first. */
export type Variant = 'plain' | 'tool' | 'hitl';

const SEND_AND_WAIT = 'sendAndWait';

export function variantsOf(description: TypeDescription): Variant[] {
  const variants: Variant[] = ['plain'];
  if (description.usableAsTool) variants.push('tool');
  if (asksForApproval(description)) variants.push('hitl');
  return variants;
}

export function variantName(name: string, variant: Variant): string {
  return variant === 'plain' ? name : variant === 'tool' ? `${name}Tool` : `${name}HitlTool`;
}

export function asVariant(description: TypeDescription, variant: Variant): TypeDescription {
  if (variant === 'plain') return description;
  return variant === 'tool' ? asTool(description) : asHitlTool(description);
}

function asksForApproval(description: TypeDescription): boolean {
  return !description.name.endsWith('Tool') && (description.webhooks?.length ?? 0) > 0 && sendAndWaitOperations(description).length > 0;
}

function sendAndWaitOperations(description: TypeDescription): Property[] {
  const offers = (property: Property) => property.options?.some((option) => !isGroup(option) && option.value === SEND_AND_WAIT) ?? false;
  return description.properties.filter((property) => property.name === 'operation' && offers(property));
}

function asTool(description: TypeDescription): TypeDescription {
  const replacements = typeof description.usableAsTool === 'object' ? description.usableAsTool.replacements : undefined;
  const { usableAsTool: _tool, ...kept } = { ...description, ...replacements } as TypeDescription;
  return {
    ...kept,
    name: variantName(description.name, 'tool'),
    displayName: `${description.displayName} Tool`,
    inputs: [],
    outputs: ['ai_tool'],
    properties: withToolDescription(description),
    codex: { ...description.codex, categories: ['AI'], subcategories: { AI: ['Tools'] } },
  };
}

function withToolDescription({ properties, description }: TypeDescription): Property[] {
  if (properties.some((property) => property.name === 'toolDescription')) return properties;
  const chooses = properties.some((property) => property.name === 'resource' || property.name === 'operation');
  const added: Property[] = [
    {
      displayName: 'Description',
      name: 'toolDescription',
      type: 'string',
      default: description,
      required: true,
      ...(chooses && { displayOptions: { show: { descriptionType: ['manual'] } } }),
    },
  ];
  if (chooses) {
    added.unshift({
      displayName: 'Tool Description',
      name: 'descriptionType',
      type: 'options',
      noDataExpression: true,
      default: 'auto',
      options: [
        { name: 'Set Automatically', value: 'auto' },
        { name: 'Set Manually', value: 'manual' },
      ],
    });
  }
  const after = properties.findLastIndex((property) => property.type === 'callout') + 1;
  return properties.toSpliced(after, 0, ...added);
}

function asHitlTool(description: TypeDescription): TypeDescription {
  const [operation] = sendAndWaitOperations(description);
  const resource = operation?.displayOptions?.show?.['resource']?.[0];
  const fixed = (name: string, value: unknown): Property => ({ displayName: name, name, type: 'hidden', default: value });
  const properties: Property[] = [
    { displayName: 'Message', name: 'message', type: 'string', default: '={{ $tool.name }}', required: true },
  ];
  for (const property of description.properties) {
    if (property.name === 'message') continue;
    if (property.name === 'resource') properties.push(...(resource === undefined ? [] : [fixed('resource', resource)]));
    else if (property.name === 'operation') properties.push(fixed('operation', SEND_AND_WAIT));
    else if (property.name === 'responseType') properties.push(fixed('responseType', 'approval'));
    else properties.push(property);
  }
  return {
    ...description,
    name: variantName(description.name, 'hitl'),
    description: 'Request human approval for tools',
    defaults: { ...description.defaults, name: description.displayName },
    inputs: [{ displayName: 'Tool', type: 'ai_tool', required: true }],
    outputs: [{ displayName: 'Human review', type: 'ai_tool' }],
    properties,
    codex: { ...description.codex, categories: ['AI'], subcategories: { AI: ['Tools'] } },
  };
}

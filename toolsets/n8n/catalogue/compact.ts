import type { Property, TypeDescription } from './description.ts';

/** Prose and looks: nothing that decides how a node behaves. */
const DROPPED_OF_TYPE = new Set([
  'iconUrl',
  'icon',
  'iconColor',
  'subtitle',
  'hints',
  'parameterPane',
  'triggerPanel',
  'eventTriggerDescription',
  'activationMessage',
  'documentationUrl',
  'waitingNodeTooltip',
  'builderHint',
  'schemaPath',
  'requestOperations',
  'mockManualExecution',
  'sensitiveOutputFields',
  'supportsCORS',
]);
const DROPPED_OF_PROPERTY = new Set(['description', 'placeholder', 'hint', 'builderHint', 'routing', 'isNodeSetting', 'extractValue']);
const DROPPED_OF_MODE = new Set(['placeholder', 'hint', 'url', 'extractValue', 'initType']);

/** A description without what only an editor shows: half the bytes, the same rules. */
export function compact(description: TypeDescription): TypeDescription {
  const kept = without(description, DROPPED_OF_TYPE) as TypeDescription;
  return { ...kept, properties: description.properties.map(compactProperty) };
}

function compactProperty(property: Property): Property {
  const kept = without(property, DROPPED_OF_PROPERTY) as Property;
  if (property.modes) kept.modes = property.modes.map((mode) => without(mode, DROPPED_OF_MODE) as { name: string });
  if (property.options) kept.options = property.options.map(compactOption) as NonNullable<Property['options']>;
  return kept;
}

function compactOption(option: object): object {
  if ('values' in option && Array.isArray(option.values)) return { ...option, values: option.values.map(compactProperty) };
  if ('type' in option && 'name' in option) return compactProperty(option as Property);
  return without(option, new Set(['description', 'routing', 'builderHint']));
}

function without(value: object, dropped: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !dropped.has(key)));
}

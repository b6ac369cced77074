export { brief, quietLimits } from './advertised-schema.ts';
export type { Call, InnerCallOptions, Origin } from './call.ts';
export { Catalog, type CatalogPorts, type Selection } from './catalog.ts';
export type { Command, CommandInput, CommandOption, Terminal } from './command.ts';
export type { AdvertisedSchemas, Entry } from './entry.ts';
export {
  type ArgumentIssue,
  absent,
  changedFailure,
  clip,
  Failure,
  type FailureCode,
  type FailureOptions,
  type Fix,
  instructionOf,
  isSystemError,
  systemFailure,
  withCommandOf,
} from './failure.ts';
export { isNestedDeeperThan, isRecord, jsonIn, recordOf } from './json.ts';
export { nearest } from './nearest.ts';
export { type Invocation, identified, type Next, type Outcome, type Passed, pipeline, type Step } from './pipeline.ts';
export * from './ports.ts';
export {
  type Annotations,
  type LongJob,
  type Presented,
  presented,
  speakingToolsOf,
  type Tool,
  type ToolDefinition,
  toolsOf,
} from './tool.ts';
export { type Check, type Context, type Resource, type Settings, slugOf, type Toolset } from './toolset.ts';
export { inputJsonSchema, type JsonSchema, jsonReply, outputJsonSchema, type Reply, type Wire, type WireCall } from './wire.ts';

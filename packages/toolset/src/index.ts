export type { Engine, EngineCall, EngineState } from './engine.ts';
export { type DocumentsFolder, defineToolset, type ToolsetDependencies, type ToolsetManifest } from './manifest.ts';

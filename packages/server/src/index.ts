// Millrace as a library: compose a server with your own toolsets, and serve it.
export * from '@millrace/kernel';
export type { Migration, Store } from '@millrace/storage';
export { defineToolset, type ToolsetDependencies, type ToolsetManifest } from '@millrace/toolset';
export { requestStates, serveOverStdio } from '@millrace/transports';
export { listen } from '@millrace/transports/http';
/** The zod that schemas of tools and settings are made with. */
export { z } from 'zod';
export { type ComposeOptions, compose, type Millrace } from './compose.ts';
export { configure } from './configuration.ts';
export { createLog } from './log.ts';
export { main } from './main.ts';
export { VERSION } from './version.ts';

/** Loaded on first use: most servers run without the chat agent. */
export const openAgent: typeof import('./agent-assembly.ts').openAgent = async (...given) =>
  (await import('./agent-assembly.ts')).openAgent(...given);

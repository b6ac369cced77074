// Millrace as a library: compose a server with toolsets of your own, and serve it.
export * from '@millrace/kernel';
export { requestStates, serveOverStdio } from '@millrace/transports';
export { listen } from '@millrace/transports/http';
export { type ComposeOptions, compose, type Millrace } from './compose.ts';
export { configure } from './configuration.ts';
export { createLog } from './log.ts';
export { main } from './main.ts';
export { VERSION } from './version.ts';

/** Loaded when first wanted: most servers run without the chat agent. */
export const openAgent: typeof import('./agent-assembly.ts').openAgent = async (...given) =>
  (await import('./agent-assembly.ts')).openAgent(...given);

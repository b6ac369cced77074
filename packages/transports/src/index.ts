export { errorBody } from './http/rest.ts';
export { CatalogServer, type McpServerOptions, type ServerIdentity } from './mcp-server.ts';
export { type RequestStates, requestStates } from './request-state.ts';
export { type StdioOptions, serveOverStdio } from './stdio.ts';

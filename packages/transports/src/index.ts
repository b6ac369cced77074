export { errorBody } from './http/rest.ts';
export { CatalogServer, type McpServerOptions, type RequestStates, requestStates, type ServerIdentity } from './mcp-server.ts';
export { type StdioOptions, serveOverStdio } from './stdio.ts';

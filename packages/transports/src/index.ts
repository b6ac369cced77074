export { type HttpOptions, type HttpServer, listen, type Route, type RouteInput } from './http/server.ts';
export { CatalogServer, type McpServerOptions, type ServerIdentity } from './mcp-server.ts';
export { type RequestStates, requestStates } from './request-state.ts';
export { type StdioOptions, serveOverStdio } from './stdio.ts';

export { type HttpOptions, type HttpServer, listen, type Route, type RouteInput } from './server.ts';

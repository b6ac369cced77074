import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A program in the place of Flowise: it has one account, keeps keys in its folder and answers as Flowise does. */
const STAND_IN = `
const { createServer } = require('node:http');
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const file = process.env.DATABASE_PATH + '/stand-in.json';
const state = existsSync(file) ? JSON.parse(readFileSync(file)) : { keys: [] };
const save = () => writeFileSync(file, JSON.stringify(state));
createServer(async (request, response) => {
  let text = ''; for await (const chunk of request) text += chunk;
  const body = text ? JSON.parse(text) : {};
  const send = (status, value, headers = {}) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
  const path = request.url.split('?')[0].replace('/api/v1', '');
  if (path === '/ping') return response.end('pong');
  if (path === '/account/register') { if (state.user) return send(400, {}); state.user = body.user; save(); return send(201, {}); }
  if (path === '/auth/login') return body.password === state.user.credential ? send(200, {}, { 'set-cookie': ['token=t; Path=/', 'connect.sid=s'] }) : send(401, {});
  if (path === '/apikey') { if (request.headers.cookie !== 'token=t; connect.sid=s' || !body.permissions) return send(412, {}); state.keys.push({ keyName: body.keyName, apiKey: 'key-' + state.keys.length }); save(); return send(200, state.keys); }
  if (path === '/chatflows') return send(state.keys.some((key) => request.headers.authorization === 'Bearer ' + key.apiKey) ? 200 : 401, []);
  send(200, process.env);
}).listen(Number(process.env.PORT), process.env.HOST);
`;

/** Puts the stand-in where the program of Flowise belongs. */
export async function writeStandIn(directory: string, program = STAND_IN): Promise<void> {
  await mkdir(join(directory, 'bin'), { recursive: true });
  await writeFile(join(directory, 'bin', 'run'), program);
}

// An MCP server on stdin and stdout with the todos of Millrace and the notes of this folder.
import { compose, configure, createLog, requestStates, serveOverStdio } from 'millrace';
import notes from './index.ts';

const configuration = configure({
  flags: { toolsets: 'todo' },
  home: undefined,
  config: undefined,
  environment: process.env,
  workingDirectory: process.cwd(),
});
const log = createLog('warn');
const millrace = await compose({ configuration, log, manifests: [notes] });
serveOverStdio({
  catalog: millrace.catalog,
  about: { name: 'notes', title: 'Notes', version: '1.0.0', instructions: millrace.instructions },
  requestStates: requestStates(() => millrace.storage.keys.get('request-state'), 3600),
  log,
  onEnd: () => void millrace.close().then(() => process.exit()),
});

import { contextLint } from './context-lint.ts';
import { contextSchema } from './context-schema.ts';
import { sessionCancel } from './session-cancel.ts';
import { sessionList } from './session-list.ts';
import { sessionTrace } from './session-trace.ts';

/** What the command line can do with contexts and sessions. */
export const flowmindCommands = [contextLint, contextSchema, sessionList, sessionTrace, sessionCancel];

import { contextLint, contextSchema } from './context.ts';
import { sessionCancel, sessionList, sessionTrace } from './session.ts';

/** What the command line can do with contexts and sessions. */
export const flowmindCommands = [contextLint, contextSchema, sessionList, sessionTrace, sessionCancel];

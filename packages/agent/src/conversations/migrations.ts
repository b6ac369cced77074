import type { Migration } from '@millrace/storage';
import { sql } from 'kysely';

export type MessageStatus = 'running' | 'done' | 'failed' | 'cancelled' | 'interrupted';
/** `decided`: not started. `started`: may have happened. `unknown`: may have happened, and nobody can tell. `held`: waits for a yes. */
export type CallStatus = 'decided' | 'started' | 'success' | 'failure' | 'unknown' | 'held';

export interface AgentTables {
  conversations: {
    id: string;
    user_id: string;
    title: string;
    /** The process that is working on a turn, and when its lease ends. */
    turn_holder: string | null;
    turn_until: string | null;
    created_at: string;
    updated_at: string;
  };
  messages: {
    id: string;
    conversation_id: string;
    position: number;
    role: 'user' | 'assistant';
    status: MessageStatus;
    text: string;
    /** What the model said, step by step: a JSON list. */
    steps: string;
    created_at: string;
    updated_at: string;
  };
  message_calls: {
    id: string;
    message_id: string;
    position: number;
    step: number;
    /** The model's own name for the call. */
    call_id: string;
    tool: string;
    parameters: string;
    status: CallStatus;
    /** The result that the model got, JSON. */
    output: string | null;
    started_at: string | null;
    finished_at: string | null;
  };
}

export const agentMigrations: readonly Migration[] = [
  {
    name: 'agent-0001-conversations',
    *up() {
      yield sql`CREATE TABLE conversations (id text PRIMARY KEY, user_id text NOT NULL, title text NOT NULL, turn_holder text,
        turn_until text, created_at text NOT NULL, updated_at text NOT NULL)`;
      yield sql`CREATE INDEX conversations_latest ON conversations (user_id, updated_at DESC, id DESC)`;
      yield sql`CREATE TABLE messages (id text PRIMARY KEY,
        conversation_id text NOT NULL REFERENCES conversations (id) ON DELETE CASCADE, position integer NOT NULL, role text NOT NULL,
        status text NOT NULL, text text NOT NULL, steps text NOT NULL, created_at text NOT NULL, updated_at text NOT NULL,
        CONSTRAINT messages_order UNIQUE (conversation_id, position))`;
      yield sql`CREATE TABLE message_calls (id text PRIMARY KEY, message_id text NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
        position integer NOT NULL, step integer NOT NULL, call_id text NOT NULL, tool text NOT NULL, parameters text NOT NULL,
        status text NOT NULL, output text, started_at text, finished_at text,
        CONSTRAINT message_calls_order UNIQUE (message_id, position))`;
    },
  },
];

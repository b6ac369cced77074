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
    *up(db) {
      yield db.schema
        .createTable('conversations')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('turn_holder', 'text')
        .addColumn('turn_until', 'text')
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull());
      yield sql`CREATE INDEX conversations_latest ON conversations (user_id, updated_at DESC, id DESC)`;
      yield db.schema
        .createTable('messages')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('conversation_id', 'text', (column) => column.notNull().references('conversations.id').onDelete('cascade'))
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('role', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('text', 'text', (column) => column.notNull())
        .addColumn('steps', 'text', (column) => column.notNull())
        .addColumn('created_at', 'text', (column) => column.notNull())
        .addColumn('updated_at', 'text', (column) => column.notNull())
        .addUniqueConstraint('messages_order', ['conversation_id', 'position']);
      yield db.schema
        .createTable('message_calls')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('message_id', 'text', (column) => column.notNull().references('messages.id').onDelete('cascade'))
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('step', 'integer', (column) => column.notNull())
        .addColumn('call_id', 'text', (column) => column.notNull())
        .addColumn('tool', 'text', (column) => column.notNull())
        .addColumn('parameters', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('output', 'text')
        .addColumn('started_at', 'text')
        .addColumn('finished_at', 'text')
        .addUniqueConstraint('message_calls_order', ['message_id', 'position']);
    },
  },
];

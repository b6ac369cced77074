import type { Migration } from '@millrace/storage';

export interface TeachingTables {
  /** What a user was taught and uses. A lesson is taught once. */
  flowmind_lessons: {
    user_id: string;
    lesson: string;
    taught_at: string | null;
    /** Whether the next call of the same tool used it: 0, 1, or null while there was none. */
    improved: number | null;
    /** When the user first did it, taught or not. */
    used_at: string | null;
  };
  /** What field_request offered, and how sure the caller was; the outcome is known when a session of it ends. */
  flowmind_predictions: {
    call_id: string;
    user_id: string;
    stated: number;
    offered: string;
    made_at: string;
    outcome: number | null;
  };
  flowmind_outcomes: { session_id: string; user_id: string; uri: string; status: string; ended_at: string };
}

export const teachingMigrations: readonly Migration[] = [
  {
    name: 'flowmind-0201-teaching',
    *up(db, types) {
      yield db.schema
        .createTable('flowmind_lessons')
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('lesson', 'text', (column) => column.notNull())
        .addColumn('taught_at', 'text')
        .addColumn('improved', 'integer')
        .addColumn('used_at', 'text')
        .addPrimaryKeyConstraint('flowmind_lessons_key', ['user_id', 'lesson']);
      yield db.schema
        .createTable('flowmind_predictions')
        .addColumn('call_id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('stated', types.real as 'real', (column) => column.notNull())
        .addColumn('offered', 'text', (column) => column.notNull())
        .addColumn('made_at', 'text', (column) => column.notNull())
        .addColumn('outcome', 'integer');
      yield db.schema.createIndex('flowmind_predictions_by_user').on('flowmind_predictions').columns(['user_id', 'made_at']);
      yield db.schema
        .createTable('flowmind_outcomes')
        .addColumn('session_id', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('uri', 'text', (column) => column.notNull())
        .addColumn('status', 'text', (column) => column.notNull())
        .addColumn('ended_at', 'text', (column) => column.notNull());
      yield db.schema.createIndex('flowmind_outcomes_by_uri').on('flowmind_outcomes').column('uri');
    },
  },
];

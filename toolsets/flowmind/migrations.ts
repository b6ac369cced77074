import type { Migration } from '@millrace/storage';
import { contextMigrations } from './contexts/migrations.ts';
import { sessionMigrations } from './store/tables.ts';
import { teachingMigrations } from './teaching/migrations.ts';

/** Every table of FlowMind, in the order of their names. */
export const flowmindMigrations: readonly Migration[] = [...sessionMigrations, ...contextMigrations, ...teachingMigrations];

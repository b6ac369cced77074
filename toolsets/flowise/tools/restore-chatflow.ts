import { brief, type Call, Failure, quietLimits } from '@millrace/kernel';
import { z } from 'zod';
import { type Chatflow, type ChatflowFields, withoutOtherSettings } from '../client/chatflow.ts';
import { chatflowId, updated, updatedChatflow } from '../schema.ts';
import { type FlowiseServices, tool } from '../services.ts';

const backupNote = brief(z.object({ backup_id: z.string(), name: z.string(), reason: z.string(), saved_at: z.string() }));

export const restoreChatflow = tool({
  name: 'restore_chatflow',
  description: 'Restore a chatflow to its state before update_chatflow or delete_chatflow.',
  said: ['bring back the chatflow I deleted', 'restore the chatflow to its earlier version', 'undo the update of the support bot'],
  access: 'write',
  extra: true,
  annotations: { title: 'Restore chatflow', readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input: z.strictObject({
    chatflow_id: chatflowId.describe('Chatflow to restore'),
    backup_id: quietLimits(z.string().min(1)).optional().describe('Default: the latest'),
    dry_run: z.boolean().optional().describe('Only list the saved states'),
  }),
  output: z.object({
    chatflow: brief(updatedChatflow).optional(),
    restored_from: backupNote.optional(),
    new_id: z.boolean().optional(),
    backups: z.array(backupNote),
  }),

  async run({ chatflow_id, backup_id, dry_run }, call) {
    const { backups, flowise } = call.services;
    const notes = await backups.list(chatflow_id);
    const shown = notes.map(({ id, name, reason, at }) => ({ backup_id: id, name, reason, saved_at: at }));
    if (dry_run) return { backups: shown };
    const wanted = backup_id === undefined ? notes[0]?.id : backup_id;
    const backup = wanted === undefined ? undefined : await backups.get(chatflow_id, wanted);
    if (!backup) throw nothingKept(chatflow_id, backup_id);
    const present = await current(chatflow_id, call);
    const after = present ? await writeBack(present, backup.fields, call) : await flowise.create(backup.fields, call);
    return {
      chatflow: updated(after),
      restored_from: { backup_id: backup.id, name: backup.name, reason: backup.reason, saved_at: backup.at },
      new_id: present === undefined,
      backups: shown,
    };
  },
});

async function current(id: string, { services, signal }: Call<FlowiseServices>): Promise<Chatflow | undefined> {
  try {
    return await services.flowise.get(id, { signal });
  } catch (error) {
    if (error instanceof Failure && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Restoring can be undone too. */
async function writeBack(present: Chatflow, fields: ChatflowFields, { services, signal, user }: Call<FlowiseServices>): Promise<Chatflow> {
  await services.backups.keep(present, 'restore', user.id);
  return services.flowise.update(present.id, withoutOtherSettings(fields, present), { signal });
}

function nothingKept(chatflowId: string, backupId: string | undefined): Failure {
  const what = backupId === undefined ? 'No state of this chatflow is kept' : 'No state of this chatflow is kept under this backup_id';
  return new Failure('not_found', what, {
    details: { chatflow_id: chatflowId.slice(0, 100), ...(backupId !== undefined && { backup_id: backupId.slice(0, 100) }) },
    fix: { instruction: 'dry_run: true lists what is kept; states are kept when update_chatflow or delete_chatflow changes a chatflow' },
  });
}

import type { Clock, Store, Toolset } from 'millrace';
import type { NotesTables } from './migrations.ts';
import { Notes, type NotesServices } from './services.ts';
import { addNote } from './tools/add-note.ts';
import { listNotes } from './tools/list-notes.ts';
import { notesWire } from './wire.ts';

export function notesToolset(store: Store<NotesTables>, clock: Clock, { longest }: { longest: number }): Toolset<NotesServices> {
  const notes = new Notes(store, clock, longest);
  return {
    name: 'notes',
    title: 'Notes',
    instructions: 'add_note saves a note, list_notes shows them.',
    tools: [addNote, listNotes],
    wire: notesWire,
    services: { notes },
    checks: async () => [{ name: 'Notes', state: 'ok', detail: `up to ${longest} characters each` }],
  };
}

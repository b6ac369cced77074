import { randomUUID } from 'node:crypto';
import { type Clock, type Store, speakingToolsOf } from 'millrace';
import type { NotesTables } from './migrations.ts';

export interface Note {
  id: string;
  text: string;
  created_at: string;
}

/** The notes of every user; each sees their own. */
export class Notes {
  readonly #store: Store<NotesTables>;
  readonly #clock: Clock;
  readonly longest: number;

  constructor(store: Store<NotesTables>, clock: Clock, longest: number) {
    this.#store = store;
    this.#clock = clock;
    this.longest = longest;
  }

  async add(userId: string, text: string): Promise<Note> {
    const note = { id: randomUUID(), text, created_at: this.#clock.now().toISOString() };
    await this.#store.db
      .insertInto('notes')
      .values({ ...note, user_id: userId })
      .execute();
    return note;
  }

  list(userId: string): Promise<Note[]> {
    return this.#store.db
      .selectFrom('notes')
      .select(['id', 'text', 'created_at'])
      .where('user_id', '=', userId)
      .orderBy('created_at', 'desc')
      .execute();
  }
}

export interface NotesServices {
  notes: Notes;
}

export const tool = speakingToolsOf<NotesServices>();

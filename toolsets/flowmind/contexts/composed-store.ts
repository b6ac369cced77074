import type { Clock } from '@millrace/kernel';
import type { Store } from '@millrace/storage';
import type { ContextDefinition } from '../flow/context.ts';
import type { FlowmindTables } from '../migrations.ts';

/** Workflows that were composed and not saved: each user's own. */
export class ComposedStore {
  readonly #store: Store<FlowmindTables>;
  readonly #clock: Clock;

  constructor(store: Store<FlowmindTables>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async put(uri: string, userId: string, text: string): Promise<void> {
    const content = { text, created_at: this.#clock.now().toISOString() };
    await this.#store.db
      .insertInto('flowmind_composed')
      .values({ user_id: userId, uri, ...content })
      .onConflict((conflict) => conflict.columns(['user_id', 'uri']).doUpdateSet(content))
      .execute();
  }

  async get(uri: string, userId: string): Promise<ContextDefinition | undefined> {
    const row = await this.#store.db
      .selectFrom('flowmind_composed')
      .selectAll()
      .where('user_id', '=', userId)
      .where('uri', '=', uri)
      .executeTakeFirst();
    return row && (await definitionOf(row));
  }

  async all(userId: string): Promise<ContextDefinition[]> {
    const rows = await this.#store.db.selectFrom('flowmind_composed').selectAll().where('user_id', '=', userId).orderBy('uri').execute();
    const definitions = await Promise.all(rows.map(definitionOf));
    return definitions.filter((definition) => definition !== undefined);
  }

  async remove(uri: string, userId: string): Promise<void> {
    await this.#store.db.deleteFrom('flowmind_composed').where('user_id', '=', userId).where('uri', '=', uri).execute();
  }
}

/** The parser is loaded with its first use: a server starts without it. */
async function definitionOf(row: FlowmindTables['flowmind_composed']): Promise<ContextDefinition | undefined> {
  const { parseContext } = await import('./parse.ts');
  return parseContext(row.text, { kind: 'composed', uri: row.uri, updatedAt: new Date(row.created_at) }).definition;
}

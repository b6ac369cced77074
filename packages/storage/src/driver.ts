import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { Statement } from './store.ts';

/** Lets Kysely run statements through our store. Its transactions are refused: they would span turns of the event loop. */
export class StatementDriver implements Driver {
  #connection: DatabaseConnection;

  constructor(execute: (statement: Statement) => QueryResult<unknown> | Promise<QueryResult<unknown>>) {
    this.#connection = {
      executeQuery: async <Row>(query: CompiledQuery) => (await execute(query as Statement)) as QueryResult<Row>,
      // biome-ignore lint/correctness/useYield: streaming is not offered
      streamQuery: async function* () {
        throw new Error('streaming queries are not supported');
      },
    };
  }

  async init(): Promise<void> {}
  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }
  async beginTransaction(): Promise<never> {
    throw new Error('use store.transaction()');
  }
  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

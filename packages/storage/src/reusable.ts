import type { Compilable, CompiledQuery } from 'kysely';
import type { Store } from './store.ts';

class Placeholder {
  readonly position: number;

  constructor(position: number) {
    this.position = position;
  }
}

/**
 * A query that is compiled once and then run with other values: for queries of a fixed shape that run with every call.
 * The builder must pass each argument on as a value and never inspect it.
 */
export function reusable<Values extends unknown[], Row>(build: (...values: Values) => Compilable<Row>) {
  let template: CompiledQuery<Row> | undefined;
  return {
    async rows(store: Pick<Store<never>, 'rows'>, ...values: Values): Promise<Row[]> {
      template ??= build(...(values.map((_, position) => new Placeholder(position)) as Values)).compile();
      const parameters = template.parameters.map((value) => (value instanceof Placeholder ? values[value.position] : value));
      return (await store.rows({ ...template, parameters })) as Row[];
    },
  };
}

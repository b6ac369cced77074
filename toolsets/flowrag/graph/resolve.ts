import { clip, Failure, nearest } from '@millrace/kernel';
import { entityKey } from '../schema.ts';
import type { Collection } from '../store/collection.ts';

export interface NamedEntity {
  id: string;
  name: string;
}

const MOST_LISTED = 20;
const MOST_QUOTED = 100;

/** Finds the one entity that is meant: by id or exact name, else in any case, else as a part of its name. The warnings may explain why there is none. */
export async function resolveEntity(store: Collection, written: string, warnings: readonly string[] = []): Promise<NamedEntity> {
  const known = await store.entityNames();
  const wanted = written.trim();
  const lower = wanted.toLowerCase();
  const key = entityKey(wanted);
  const stages: ((entity: { id: string; name: string; aliases: string[] }) => boolean)[] = [
    ({ id, name }) => id === wanted || name === wanted,
    ({ aliases }) => aliases.includes(wanted),
    ({ id, name }) => name.toLowerCase() === lower || id === key,
    ({ aliases }) => aliases.some((alias) => alias.toLowerCase() === lower || entityKey(alias) === key),
    ({ name, aliases }) => lower !== '' && [name, ...aliases].some((candidate) => candidate.toLowerCase().includes(lower)),
  ];
  for (const matches of stages) {
    const [found, ...others] = known.filter(matches);
    if (found && others.length > 0) throw several(wanted, [found, ...others]);
    if (found) return found;
  }
  const indexed = known.length === 0 && (await store.counts()).documents > 0;
  throw unknownEntity(wanted, known, indexed, warnings);
}

function several(wanted: string, found: readonly NamedEntity[]): Failure {
  const names = found.map((entity) => entity.name);
  const listed = names.slice(0, MOST_LISTED).join(', ') + (names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : '');
  return new Failure('conflict', `"${clip(wanted, MOST_QUOTED)}" matches ${names.length} entities: ${listed}`, {
    details: { entity: clip(wanted, MOST_QUOTED), matches: found.slice(0, MOST_LISTED).map(({ id, name }) => ({ id, name })) },
    fix: { instruction: 'Call again with one of these names' },
  });
}

function unknownEntity(
  wanted: string,
  known: readonly { name: string; aliases: string[] }[],
  indexed: boolean,
  warnings: readonly string[],
): Failure {
  const close = nearest(
    wanted,
    known.flatMap(({ name, aliases }) => [name, ...aliases]),
    5,
  );
  const none = indexed
    ? 'No entities were found in the indexed documents; an extractor with a model finds more'
    : 'The index has no entities yet: run flowrag_index';
  const hint = known.length === 0 ? none : 'flowrag_entities lists what there is';
  const suggestion = close.length > 0 ? ` Nearest: ${close.join(', ')}.` : '';
  return new Failure('not_found', `There is no entity "${clip(wanted, MOST_QUOTED)}".${suggestion}`, {
    details: { entity: clip(wanted, MOST_QUOTED), nearest: close },
    fix: { instruction: [...warnings, hint].join(' ') },
  });
}

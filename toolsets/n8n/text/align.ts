import { equal } from './equal.ts';

/** Which element of the old list each element of the new one continues; undefined for new elements. Strictly increasing. */
export function alignLists(before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] {
  let head = 0;
  const shorter = Math.min(before.length, after.length);
  while (head < shorter && equal(before[head], after[head])) head++;
  let tail = 0;
  while (tail < shorter - head && equal(before[before.length - 1 - tail], after[after.length - 1 - tail])) tail++;
  const middle = alignMiddle(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  const shift = before.length - after.length;
  return after.map((_, index) => {
    if (index < head) return index;
    if (index >= after.length - tail) return index + shift;
    const matched = middle[index - head];
    return matched === undefined ? undefined : matched + head;
  });
}

const MAX_CELLS = 4_000_000;

function alignMiddle(before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] {
  if (before.length === after.length || before.length * after.length > MAX_CELLS) {
    return after.map((_, index) => (index < before.length ? index : undefined));
  }
  return longestCommon(before, after);
}

/** The longest common subsequence, where entries with the same id or name count as the same though they changed. */
function longestCommon(before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] {
  const width = after.length + 1;
  const lengths = new Uint32Array((before.length + 1) * width);
  const cell = (row: number, column: number) => lengths[row * width + column] as number;
  const matches = before.map((old) => after.map((now) => isSame(old, now)));
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] = matches[row]?.[column]
        ? cell(row + 1, column + 1) + 1
        : Math.max(cell(row + 1, column), cell(row, column + 1));
    }
  }
  const aligned: (number | undefined)[] = new Array(after.length).fill(undefined);
  for (let row = 0, column = 0; row < before.length && column < after.length; ) {
    if (matches[row]?.[column]) aligned[column++] = row++;
    else if (cell(row + 1, column) >= cell(row, column + 1)) row++;
    else column++;
  }
  return aligned;
}

function isSame(a: unknown, b: unknown): boolean {
  const [idOfA, idOfB] = [identityOf(a), identityOf(b)];
  return idOfA !== undefined && idOfB !== undefined ? idOfA === idOfB : equal(a, b);
}

function identityOf(value: unknown): string | undefined {
  if (value === null || typeof value !== 'object') return undefined;
  const { id, name, type } = value as { id?: unknown; name?: unknown; type?: unknown };
  if (typeof id === 'string' && id !== '') return `id ${id}`;
  return typeof name === 'string' && typeof type === 'string' ? `name ${name}` : undefined;
}

export type MemberSource = { key: string; from: number | undefined };

/**
 * The members of an object after a change, in the order they are to stand: the old ones where they stood, new ones after the
 * member they follow, and a member that took the place of a removed one in that one's place.
 */
export function alignMembers(oldKeys: readonly string[], newKeys: readonly string[]): MemberSource[] {
  const kept = new Set(newKeys);
  const known = new Set(oldKeys);
  const order: MemberSource[] = oldKeys.map((key, from) => ({ key, from }));
  let place = 0;
  for (const key of newKeys) {
    if (known.has(key)) {
      place = order.findLastIndex((member) => member.key === key) + 1;
      continue;
    }
    const next = order[place];
    const takesPlace = next?.from !== undefined && !kept.has(next.key);
    order.splice(place, takesPlace ? 1 : 0, { key, from: takesPlace ? next.from : undefined });
    place++;
  }
  return order.filter((member) => kept.has(member.key));
}

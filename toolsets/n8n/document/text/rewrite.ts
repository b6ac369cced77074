import { isRecord, recordOf } from '@millrace/kernel';
import { equal } from './json.ts';
import { type Layout, layoutOf, render } from './layout.ts';
import { elements, type Member, members, type Span, valueSpan } from './scan.ts';

/** One entry of a container as it is to be written: from the old text where it stood there, else new. */
interface Entry {
  from: number | undefined;
  write(margin: string, lines: boolean): void;
}

/** Writes `after` into the text of `before`: every byte that the change does not touch stays. */
export function rewriteJson(bytes: Buffer, before: unknown, after: unknown): Buffer {
  const root = valueSpan(bytes, hasByteOrderMark(bytes) ? 3 : 0);
  const rewriting = new Rewriting(bytes);
  rewriting.value(root, before, after, '', layoutHasLines(bytes, root));
  return Buffer.concat([bytes.subarray(0, root.start), ...rewriting.chunks, bytes.subarray(root.end)]);
}

export function hasByteOrderMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function layoutHasLines(bytes: Buffer, { start, end }: Span): boolean {
  return bytes.subarray(start, end).includes(0x0a) || end - start <= 2;
}

class Rewriting {
  readonly chunks: Buffer[] = [];
  readonly #bytes: Buffer;
  readonly #layout: Layout;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#layout = layoutOf(bytes);
  }

  /** `margin` is the indentation of the line that the value begins on. */
  value(span: Span, before: unknown, after: unknown, margin: string, lines: boolean): void {
    if (equal(before, after)) this.#keep(span.start, span.end);
    else if (isRecord(before) && isRecord(after)) this.#object(span, before, after, margin, lines);
    else if (Array.isArray(before) && Array.isArray(after)) this.#array(span, before, after, margin, lines);
    else this.#write(render(after, this.#layout, margin, lines));
  }

  #object(span: Span, before: Record<string, unknown>, after: Record<string, unknown>, margin: string, lines: boolean): void {
    const old = members(this.#bytes, span.start);
    const newKeys = Object.keys(after).filter((key) => after[key] !== undefined);
    const order = alignMembers(
      old.map((member) => member.key),
      newKeys,
    );
    // A key that stands there twice means its last value; the earlier ones are left as they are.
    const lastOf = new Map(old.map((member, index) => [member.key, index]));
    const entries = order.map(({ key, from }): Entry => {
      const found = from === undefined ? undefined : old[from];
      const shadowed = found !== undefined && lastOf.get(found.key) !== from;
      if (shadowed && found.key === key) return { from, write: () => this.#keep(found.start, found.end) };
      const member = shadowed ? undefined : found;
      return { from, write: (inner, split) => this.#member(member, key, member && before[member.key], after[key], inner, split) };
    });
    this.#container(span, old, entries, margin, lines);
  }

  #member(member: Member | undefined, key: string, before: unknown, after: unknown, margin: string, lines: boolean): void {
    const spelled = () => render(key, this.#layout, margin, lines);
    if (!member) {
      this.#write(spelled() + this.#layout.colon + render(after, this.#layout, margin, lines));
      return;
    }
    if (member.key === key) this.#keep(member.start, member.keyEnd);
    else this.#write(spelled());
    this.#keep(member.keyEnd, member.value.start);
    this.value(member.value, before, after, margin, lines);
  }

  #array(span: Span, before: readonly unknown[], after: readonly unknown[], margin: string, lines: boolean): void {
    const old = elements(this.#bytes, span.start);
    const entries = alignLists(before, after).map((from, index): Entry => {
      const element = from === undefined ? undefined : old[from];
      return {
        from,
        write: (inner, split) => {
          if (element) this.value(element, before[from as number], after[index], inner, split);
          else this.#write(render(after[index], this.#layout, inner, split));
        },
      };
    });
    this.#container(span, old, entries, margin, lines);
  }

  /** Separators between entries that were neighbours stay; others are written as the first one is. */
  #container(span: Span, old: readonly Span[], entries: readonly Entry[], margin: string, lines: boolean): void {
    const [first, second, last] = [old[0], old[1], old.at(-1)];
    const open = this.#bytes.toString('latin1', span.start, span.start + 1);
    const close = this.#bytes.toString('latin1', span.end - 1, span.end);
    if (entries.length === 0) {
      this.#write(open + close);
      return;
    }
    const lead = first ? this.#text(span.start + 1, first.start) : undefined;
    const split = lead === undefined ? lines : lead.includes('\n');
    const inner = split ? (lead === undefined ? margin + this.#layout.indent : afterLastLine(lead)) : margin;
    const begin = lead ?? (split ? this.#layout.newline + inner : '');
    const between = first && second ? this.#text(first.end, second.start) : split ? `,${begin}` : this.#layout.comma;
    const finish = last ? this.#text(last.end, span.end - 1) : split ? this.#layout.newline + margin : '';
    this.#write(open + begin);
    entries.forEach((entry, index) => {
      if (index > 0) this.#separate(old, entries[index - 1]?.from, entry.from, between);
      entry.write(inner, split);
    });
    this.#write(finish + close);
  }

  #separate(old: readonly Span[], left: number | undefined, right: number | undefined, between: string): void {
    const [before, after] = left !== undefined && right === left + 1 ? [old[left], old[right]] : [];
    if (before && after) this.#keep(before.end, after.start);
    else this.#write(between);
  }

  #text(start: number, end: number): string {
    return this.#bytes.toString('utf8', start, end);
  }

  #keep(start: number, end: number): void {
    this.chunks.push(this.#bytes.subarray(start, end));
  }

  #write(text: string): void {
    this.chunks.push(Buffer.from(text, 'utf8'));
  }
}

function afterLastLine(whitespace: string): string {
  return whitespace.slice(whitespace.lastIndexOf('\n') + 1);
}

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
  const { id, name, type } = recordOf(value);
  if (typeof id === 'string' && id !== '') return `id ${id}`;
  return typeof name === 'string' && typeof type === 'string' ? `name ${name}` : undefined;
}

export type MemberSource = { key: string; from: number | undefined };

/** An object's members after a change, in order: old ones stay, new ones follow their neighbour or take a removed one's place. */
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

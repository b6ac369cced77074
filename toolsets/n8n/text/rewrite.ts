import { alignLists, alignMembers } from './align.ts';
import { equal } from './equal.ts';
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
    else if (isObject(before) && isObject(after)) this.#object(span, before, after, margin, lines);
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

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function afterLastLine(whitespace: string): string {
  return whitespace.slice(whitespace.lastIndexOf('\n') + 1);
}

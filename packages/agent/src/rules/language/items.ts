import { ERRAND_VERBS, PAIRS } from './text.ts';

const AND = '∧';
/** Things that begin with a word that is also a verb. */
const THINGS =
  /^(?:post office|post-?its?|water (?:bottles?|filters?|melons?|cooler)|watermelons?|paint ?brush\w*|book(?:shelf|shelves|case|s|ends)\b|plant (?:pots?|food)|ironing board|cook ?books?|work (?:shirts?|shoes?|clothes|reports?|laptop|boots)|dry cleaning|spray paint|wax paper|wrap(?:ping)? paper|test (?:kits?|papers?|strips?)|set list|printer|print paper|check ?books?|file folders?|mail ?box(?:es)?|sand ?paper|stain remover|smoke (?:detectors?|alarms?)|oil change|brush set|order form|ring (?:binder|light)|trash bags?|drive belt|swim (?:suits?|wear)|yoga (?:mat|class|pants)|zoom (?:call|meeting)|vacuum bags?|dust(?:pan|bin)|label maker|store brand|file cabinet|chop ?sticks|juice|seal|study guide|report card|show tickets|play tickets|train tickets?|bike (?:pump|lock|tire)|park pass|lock box|design review|demo day|walk-?through|email list|phone (?:bill|case|charger)|water bill|water$|ice|plant$|paint$|stock$|oil$|soap)\b/i;
/** Verbs that need nothing after them. */
const ALONE = /^(?:exercise|meditate|shower|vacuum|study|jog|nap|pray|stretch|mop|shop|journal|shave|sleep|practice|rest|relax)$/i;
const LINKED = /\b(?:with|for|from|between|of|to|about|at|in|on)\b/i;
const LONGEST_NOUN_ITEM = 4;

export function startsWithVerb(text: string): boolean {
  const [word = '', ...more] = text
    .trim()
    .replace(/^(?:to|please|also|then|go and) (?=[a-z])/i, '')
    .split(/\s+/);
  if (THINGS.test(text.trim())) return false;
  const verb = word.toLowerCase().replace(/[^a-z-]/g, '');
  if (more.length === 0) return ALONE.test(verb);
  return ERRAND_VERBS.has(verb);
}

export interface ItemOptions {
  /** Refers to one todo: "a task to …". */
  single?: boolean;
  /** Refers to several: "these todos: …". */
  several?: boolean;
}

/** The todos that a text names: one, unless it is clearly a list. */
export function itemsIn(text: string, { single = false, several = false }: ItemOptions): string[] {
  const lines = text
    .split(/\n\s*(?:[-*•] |\d{1,2}[.)] )?|^[-*•] |;\s*|(?:^|\s)\d{1,2}[.)] (?=\S)/)
    .map((line) => line.trim())
    .filter(Boolean);
  if (lines.length > 1) return lines.flatMap((line) => itemsIn(line, { single: true }));
  const another = text
    .replace(
      /^(?:,? ?(?:the )?(?:first|one)(?: (?:one|todo|task))? (?:to|for|called|about|saying|named|is) )(?=.* (?:and|plus|then) )/i,
      '',
    )
    .split(
      /,? (?:and|plus|then) (?:also )?(?:another|one more|a second|a third|one|the other|the second|the third)(?: (?:one|todo|task|reminder|item))? (?:to|for|called|about|saying|named|is) /i,
    );
  if (another.length > 1) return another.flatMap((part) => itemsIn(part, { single: true }));
  if (single) return [text.trim()];
  const guarded = text.replace(new RegExp(PAIRS.source.replaceAll(' and ', ' (?:and|&) '), 'gi'), (pair) =>
    pair.replace(/ (?:and|&) /i, ` ${AND} `),
  );
  const parts = guarded
    .split(/,? (?:and then|and also|and to|then also|as well as|and|then|plus|&) |, ?(?:to |and )?/i)
    .map((part) => part.trim())
    .filter(Boolean);
  if (parts.length < 2) return [text.trim()];
  const items = startsWithVerb(parts[0] as string) ? verbItems(parts, guarded, several) : nounItems(parts, several);
  return items === undefined ? [text.trim()] : items.map((item) => item.replaceAll(AND, 'and').trim());
}

/** "buy milk, eggs and call mom": what begins with a verb is a new one, the rest belongs to the one before. */
function verbItems(parts: string[], text: string, several: boolean): string[] | undefined {
  const begins = parts.map((part, index) => index === 0 || startsWithVerb(part) || (several && ERRAND_VERBS.has(part.toLowerCase())));
  if (begins.filter(Boolean).length < 2) return undefined;
  const items: string[] = [];
  let position = 0;
  for (const [index, part] of parts.entries()) {
    const at = text.indexOf(part, position);
    if (begins[index]) items.push(part);
    else items[items.length - 1] = `${items.at(-1)}${text.slice(position, at)}${part}`;
    position = at + part.length;
  }
  return items.map((item) => item.replace(/[\s,]+(?:and|then|plus|&)?[\s,]*$/i, ''));
}

function nounItems(parts: string[], several: boolean): string[] | undefined {
  const short = parts.every((part) => part.split(' ').length <= LONGEST_NOUN_ITEM || startsWithVerb(part));
  if (several || (short && parts.length > 2)) return parts;
  const [first = '', second = ''] = parts;
  const belongs = LINKED.test(first) && !startsWithVerb(second) && second.split(' ').length <= 2;
  return short && !belongs ? parts : undefined;
}

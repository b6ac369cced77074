const POLITE =
  /^(?:[\s,.!]*(?:please|yes|yeah|yep|of course|everything|every one|all|all of it|them all|those|these|them|it|that|go for it|go on|for sure|definitely|absolutely|mate|man|i am|i do|fine|perfect|great|cool|thx|delete (?:all|everything|all of them|them all|those)|mark (?:it|them|them all|all of them)(?: as)?(?: done| complete)?|remove (?:all|everything|all of them|those)|archive (?:it|them)|add (?:it|them)|thanks|thank you|sure|do it|go ahead|that's right|i'm sure|all of them|both|both of them|delete (?:it|them)|remove (?:it|them)|do that|then|ok|okay))*[\s.!]*$/i;
const YES =
  /^(?:y|yes+|yep|yup|yeah|yea|ya|aye|sure(?: thing)?|ok|okay|k|of course|certainly|definitely|absolutely|affirmative|correct|right|exactly|indeed|please(?: do)?|do it|do so|do that|go ahead|go for it|proceed|confirm(?:ed)?|confirmed|that's right|that is right|that's correct|sounds good|looks good|fine(?: by me)?|why not|i do|i am|i'm sure|make it so|all of them|both(?: of them)?|delete (?:it|them)(?: all)?|remove (?:it|them)(?: all)?|yes,? delete (?:it|them)(?: all)?|👍|✅)(?![a-z'])/i;
const NO =
  /^(?:n|no+|nope|nah|nay|never ?mind|negative|don't|do not|cancel|stop|wait|abort|leave (?:it|them)(?: alone| be)?|keep (?:it|them)|not now|not really|no thanks|no thank you|forget it|forget that|rather not|i changed my mind|better not|hold on|none(?: of them)?|neither|👎)(?![a-z'])/i;
const CONTINUE =
  /^(?:please )?(?:go on|continue|carry on|resume|keep going|finish (?:it|that|up)|try (?:it |that )?again|retry|again|once more|one more time)(?: please)?[.!]*$/i;

/** A plain yes; a yes with a condition does not count. */
export function isYes(text: string): boolean {
  const match = YES.exec(text.trim());
  return (
    match !== null &&
    POLITE.test(
      text
        .trim()
        .slice(match[0].length)
        .replace(/^[\s,.!-]+/, ''),
    )
  );
}

/** A plain no. */
export function isNo(text: string): boolean {
  const match = NO.exec(text.trim());
  if (!match) return false;
  const rest = text
    .trim()
    .slice(match[0].length)
    .replace(/^[\s,.!-]+/, '');
  return /^(?:(?:please|thanks|thank you|don't|do not|do that|do it|delete (?:it|them|anything|any of them|that)|remove (?:it|them)|leave (?:it|them)(?: alone)?|keep (?:it|them)(?: all)?|stop|cancel(?: that)?|i changed my mind|not (?:now|yet)|nothing|wait|any of them|of them|never ?mind|forget it)[\s,.!]*)*$/i.test(
    rest,
  );
}

export function isContinue(text: string): boolean {
  return CONTINUE.test(text.trim());
}

/** Whether a message cancels what was started: "stop", "no", "undo that", "don't". */
export function refuses(text: string): boolean {
  return isNo(text) || /^(?:please )?(?:stop|cancel|abort|undo|revert|wait|don't|do not|never ?mind|forget)\b/i.test(text.trim());
}

/** Whether a message asks to continue an unfinished turn: in words, or by repeating the message. */
export function asksToContinue(text: string, unfinished: { text: string }): boolean {
  return isContinue(text) || same(text, unfinished.text);
}

function same(a: string, b: string): boolean {
  const plain = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replaceAll(/\s+/g, ' ')
      .replace(/[.!]+$/, '');
  return plain(a) === plain(b);
}

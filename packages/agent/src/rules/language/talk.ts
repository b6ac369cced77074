import type { Intent, Small } from '../intents.ts';

const TALK: [RegExp, Small][] = [
  [
    /^(?:hi|hello|hey|howdy|hiya|yo|greetings|good (?:morning|afternoon|evening|day)|hey there|hi there|hello there|sup|what's up|hola|moin|servus|hallo|salut|bonjour)(?: (?:there|everyone|all|millrace|assistant|bot|friend|buddy))?$/i,
    'greeting',
  ],
  [
    /^(?:how are you|how's it going|how are things|how do you do|how are you doing|you ok|are you (?:ok|okay|there|alive|awake|working))(?: today)?$/i,
    'well',
  ],
  [
    /^(?:(?:many |ok |okay |great |perfect |cool |awesome |no )?(?:thanks?|thank you|thank u|cheers|much appreciated|appreciate it|ta|danke|merci|gracias)(?: (?:so much|a lot|very much|you|again|a bunch|a million|for (?:the|your) help|for that|that's all|for now|man|mate|buddy))*)$/i,
    'thanks',
  ],
  [
    /^(?:bye|goodbye|good bye|bye bye|see you|see ya|good night|cya|later|see you later|that's all|that's it|that is all|that's everything|nothing else|nothing|quit|exit)(?: (?:for now|then|thanks|thank you|for today|now))*$/i,
    'bye',
  ],
  [
    /^(?:help|help me|\?+|commands|usage|what can you do(?: for me)?|what do you do|what can i (?:do|say|ask)(?: here| you)?|how does this work|how do you work|how (?:do|can) i use (?:this|you)|what are you able to do|what are your (?:commands|features|capabilities)|can you help(?: me)?|i need help|what is this|how do i start|instructions|show help|what do i do)$/i,
    'help',
  ],
  [
    /^(?:who are you|what are you|what's your name|what is your name|are you (?:an? )?(?:ai|bot|human|robot|person|real|chatgpt|claude)|who made you|what model (?:are you|is this|do you use))$/i,
    'who',
  ],
  [
    /^(?:ok|okay|k|cool|great|nice|perfect|awesome|good|fine|alright|all right|got it|i see|understood|sounds good|sure|yes|yeah|yep|no|nope|never ?mind|nvm|forget it|cancel|stop|wait|hm+|hmm+|lol|haha|wow|right|excellent|wonderful|amazing|brilliant|good job|well done|good bot|no worries|no problem|it's fine|that's fine|that's ok)(?: (?:then|thanks|thank you|it|that|great|good|job|you|man))*$/i,
    'okay',
  ],
  [/^(?:what|huh|eh|wtf|pardon me|sorry|my bad|apologies|oh no|i'm sorry|pardon)$/i, 'sorry'],
  [/^(?:redo|redo that|redo it|undo the undo|undo my undo)$/i, 'cannot-redo'],
];

export function talkIn(clause: string): Intent | undefined {
  const words = clause
    .replaceAll(/[!.,?…]+/g, ' ')
    .replaceAll(/\p{Extended_Pictographic}|\u{FE0F}/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const found = TALK.find(([pattern]) => pattern.test(words));
  return found && { kind: 'small', which: found[1] };
}

const UNDO =
  /^(?:undo|revert|roll ?back|take (?:that|it) back|undo (?:that|it|this|the last (?:one|thing|change|action|step)|my last (?:change|action|message)|what you (?:just )?did|everything you just did|the (?:deletion|delete|change|last deletion))|revert (?:that|it|the last change)|(?:oops|whoops|oh no|ah|wait)[,! ]*(?:undo(?: that| it)?|(?:that|it) was (?:a mistake|wrong|not what i (?:meant|wanted))|wrong one|i didn't mean (?:that|to do that)|(?:that's|that was) wrong|not that)?|that was (?:a mistake|an accident|wrong|not what i (?:meant|wanted))|(?:the )?wrong (?:one|todo|task)|(?:my )?mistake|not that one|i didn't mean that one|i didn't mean (?:that|to|to do that)|i (?:take|took) that back|scratch that|change it back|put it back(?: how it was| the way it was)?|go back|bring (?:it|that|them|those) back|ctrl[- ]?z)$/i;

export function isUndo(clause: string): boolean {
  const words = clause.replace(/[!.?]+$/, '').trim();
  return words !== '' && UNDO.test(words) && !/^(?:oh no|ah|wait)$/i.test(words);
}

const HANDS_OFF =
  /^(?:(?:please |just )?(?:don't|do not|never|dont|no,? don't|you (?:shouldn't|should not|must not|mustn't|needn't)|(?:i|we) (?:don't|do not|didn't|wouldn't|never) (?:want(?:ed)?|ask(?:ed)?|like|need)(?: you)? to|no need to|stop|under no circumstances|i'm not (?:going to|asking you to)|i (?:won't|will not|shouldn't|should not|can't)|leave|keep)) (?:ever |actually |yet |really |to )*(?:delete|remove|archive|mark|complete|finish|check|tick|cross|add|create|change|edit|rename|touch|move|erase|clear|drop|update|do (?:that|it|anything)|deleting|removing|adding|marking|archiving|changing|.+ (?:alone|as (?:it|they) (?:is|are)|on my list|open))\b/i;

export function isHandsOff(clause: string): boolean {
  return HANDS_OFF.test(clause) && !/\bforget\b/i.test(clause);
}

/** A question about doing something is not an order to do it. */
const WONDERING =
  /^(?:should|shall|must|may|might|could|can|would|do|does|did|will|was|were|am|are|is) (?:i|we|it|there|that|this|they|he|she|my|the|anyone|somebody)\b|^(?:how|why|when|where|who|whose|whom|what|which)\b|^(?:what if|is it (?:possible|ok|okay|safe|bad)|are you (?:able|allowed|going)|do you (?:think|know|have|want|need|like|remember)|did you|have you|were you|why did|why are|will you|would you rather|what happens|what would happen|i wonder|i was wondering (?:if|whether|how|what)|tell me (?:how|why|what|when|if|whether)|explain)\b/i;

export function isWondering(clause: string): boolean {
  return WONDERING.test(clause);
}

export function asksHow(clause: string): boolean {
  return /^(?:how (?:do|can|could|would|should|to)|is it possible to|are you able to|can i|could i|may i|do you know how|what happens|what would happen|what if|tell me how|explain how)\b.*\b(?:add|create|make|delete|remove|archive|complete|mark|finish|check|change|rename|edit|undo|restore|todos?|tasks?|list|tag|prioriti[sz]e|set|move|postpone)\b/i.test(
    clause,
  );
}

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

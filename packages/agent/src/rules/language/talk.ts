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

/** "wrong=right" for each word; an underscore is a space. */
function pairsIn(table: string): ReadonlyMap<string, string> {
  return new Map(
    table
      .trim()
      .split(/\s+/)
      .map((pair) => pair.replaceAll('_', ' ').split('=') as [string, string]),
  );
}

/** Typos in the words that matter most. */
const SPELLINGS = pairsIn(`
teh=the hte=the adn=and taht=that thsi=this tommorow=tomorrow tommorrow=tomorrow tomorow=tomorrow tomorrw=tomorrow tomoro=tomorrow tomorro=tomorrow 2moro=tomorrow
tmrw=tomorrow tmr=tomorrow tmrow=tomorrow tmw=tomorrow delte=delete deleet=delete dlete=delete deelte=delete delet=delete
remvoe=remove remov=remove rmeove=remove remoev=remove compelte=complete complet=complete completd=completed compleet=complete
finsh=finish finishd=finished finised=finished doen=done dnoe=done shwo=show sohw=show lsit=list lits=list creat=create
craete=create cretae=create remid=remind reming=remind remimd=remind reminde=remind priorty=priority prioirty=priority
prority=priority pirority=priority prio=priority wensday=wednesday wednsday=wednesday wendesday=wednesday thrusday=thursday
thurday=thursday tuseday=tuesday firday=friday saterday=saturday mondey=monday tood=todo toods=todos todso=todos taks=task
tsak=task tsaks=tasks taskes=tasks todoes=todos archieve=archive arhive=archive renmae=rename pls=please plz=please plese=please
pleae=please thx=thanks ty=thanks u=you ur=your b4=before tdy=today wknd=weekend wkend=weekend wanna=want_to gonna=going_to gotta=got_to dont=don't didnt=didn't doesnt=doesn't
isnt=isn't havent=haven't hasnt=hasn't whats=what's wheres=where's im=i'm ive=i've cant=can't wont=won't hows=how's`);

/** A message in one spelling: straight quotes, single spaces, "todo" for "to-do", and no typos in the words that matter. */
export function tidy(text: string): string {
  return text
    .replaceAll(/[\u2018\u2019\u02bc\u00b4`]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u00ab\u00bb]/g, '"')
    .replaceAll(/[\u2013\u2014]/g, ' - ')
    .replaceAll('\u2026', '...')
    .replaceAll(/[\u200b-\u200f\u2060\ufeff]/g, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/([,;:!?("'-]) ?(?:\1 ?){3,}/g, '$1 ')
    .replaceAll(/\bto-do('?s)?\b/gi, 'todo$1')
    .replaceAll(/\bto do (list|lists|item|items)\b/gi, 'todo $1')
    .replaceAll(/\bto-?do's\b|\btodo's\b/gi, 'todos')
    .replaceAll(/[a-z0-9]+/gi, correct)
    .replace(/^lets (?=[a-z])/i, "let's ")
    .replace(/^its (?=[^,]+,? not )/i, "it's ")
    .replaceAll(/\b(need|have|got|want|going|remember|forget|me) 2 (?=[a-z]+ )/gi, '$1 to ')
    .trim();
}

function correct(word: string): string {
  const right = SPELLINGS.get(word.toLowerCase());
  if (right === undefined) return word;
  return /^[A-Z]/.test(word) ? right.charAt(0).toUpperCase() + right.slice(1) : right;
}

const OPEN = '⟦';
const CLOSE = '⟧';

/** Quoted words are taken literally: a number replaces them while the rest of the sentence is parsed. */
export class Quotes {
  readonly #kept: string[] = [];

  hide(text: string): string {
    const keep = (before: string, words: string) => {
      this.#kept.push(words.trim());
      return `${before}${OPEN}${this.#kept.length - 1}${CLOSE}`;
    };
    return text
      .replaceAll(/[⟦⟧]/g, '')
      .replaceAll(/(^|[\s:(,])"([^"\n]+)"/g, (_, before: string, words: string) => keep(before, words))
      .replaceAll(/(^|[\s:(,])'([^'\n]+(?:'[a-z]+[^'\n]*)*)'(?=$|[\s.,;:!?)])/g, (_, before: string, words: string) => keep(before, words));
  }

  show(text: string): string {
    return text.replaceAll(/⟦(\d+)⟧/g, (_, number: string) => this.#kept[Number(number)] ?? '');
  }

  /** The quoted words, if the text consists only of them. */
  only(text: string): string | undefined {
    const match = /^⟦(\d+)⟧$/.exec(text.trim());
    return match ? this.#kept[Number(match[1])] : undefined;
  }
}

const IRREGULAR = pairsIn(`
cancelled=cancel canceled=cancel labelled=label labeled=label travelled=travel refilled=refill
rang=ring rung=ring learnt=learn dug=dig drank=drink drunk=drink rode=ride ridden=ride flew=fly flown=fly grew=grow knew=know shot=shoot stole=steal struck=strike wound=wind withdrew=withdraw withdrawn=withdraw
redid=redo redone=redo repaid=repay rewrote=rewrite rewritten=rewrite rebuilt=rebuild froze=freeze frozen=freeze burnt=burn fought=fight forgot=forget wore=wear shook=shake understood=understand hemmed=hem
bought=buy called=call paid=pay sent=send wrote=write written=write got=get gotten=get went=go gone=go did=do done=do made=make
took=take taken=take brought=bring found=find met=meet told=tell sold=sell swept=sweep fed=feed ate=eat eaten=eat ran=run
swam=swim drove=drive driven=drive gave=give given=give held=hold kept=keep left=leave lent=lend lost=lose saw=see seen=see
spoke=speak spoken=speak spent=spend taught=teach thought=think threw=throw thrown=throw woke=wake won=win built=build bent=bend
hung=hang hid=hide laid=lay led=lead lit=light mowed=mow mown=mow sewn=sew sang=sing slept=sleep stood=stand stuck=stick
swung=swing tore=tear chose=choose began=begin begun=begin broke=break caught=catch dealt=deal drew=draw fixed=fix
groceries=grocery children=child kids=kid people=person mum=mom mummy=mom mother=mom mommy=mom father=dad daddy=dad photos=photo
pics=photo docs=doc documents=doc document=doc appt=appointment appts=appointment mtg=meeting dentists=dentist`);

/** A word without its endings: the same for "bakes", "baked" and "baking". */
export function stem(word: string): string {
  const lower = word.toLowerCase().replace(/'s?$/, '');
  const known = IRREGULAR.get(lower);
  if (known !== undefined) return stemEnding(known);
  return stemEnding(lower);
}

function stemEnding(word: string): string {
  let base = word;
  if (/ies$/.test(base) && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (/[^su]s$/.test(base) && base.length > 3) base = base.slice(0, -1);
  if (/[aeiouy].*ing$/.test(base) && base.length > 4) base = undoubled(base.slice(0, -3));
  else if (/ied$/.test(base)) base = `${base.slice(0, -3)}y`;
  else if (/ed$/.test(base) && base.length > 4) base = undoubled(base.slice(0, -2));
  return base.length > 3 ? base.replace(/e$/, '') : base;
}

function undoubled(base: string): string {
  return /([bdgmnprt])\1$/.test(base) ? base.slice(0, -1) : base;
}

/** The words of a text in lower case. */
export function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]+(?:'[\p{L}]+)?/gu) ?? []
  );
}

export function capitalised(text: string): string {
  const first = /^\p{Ll}(?!\p{Lu})/u.exec(text);
  return first ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Verbs that start a todo. Used to tell "buy milk and call mom" (two) from "buy milk and eggs" (one). */
const ERRANDS = `
accept activate adjust analyze analyse answer apologize apply appoint approve arrange ask assemble assign attach attend audit back backup bake balance bathe bike book borrow brainstorm
bring brush build buy calculate call cancel capture change charge chase check chop clean clear climb close coach collect color comb come compare compile complain complete compose compost
confirm congratulate connect consult contact continue cook coordinate copy count cover create cut debug decide declutter decorate defrost deliver demo deploy deposit descale design develop dig
discuss dispose do document donate download draft draw drive drop dry dust edit eat email e-mail empty enrol enroll enter evaluate exchange exercise explore export extend fax feed fetch file fill
finalize finalise find finish fix fold follow freeze get give go grab grade greet grill groom hand hang harvest help hire hoover host hug implement improve inform inspect install
interview investigate invest invite invoice iron jog join journal juggle keep kill knit label launch learn leave lend level listen load locate lock log look lower lubricate mail make map measure meditate
meet memorize mend merge message migrate mop mow move nap negotiate notify oil open optimize order organize organise outline pack paint park patch pay perform phone pick place plan plant plug polish post
practice practise pray prep prepare prescribe present print process procure proofread prune publish pull purchase push put rake re-read reach read rearrange rebook recharge recycle redo refactor refill
refinance refund register rehearse release remind remove renew rent repair repay repeat replace reply report repot request research reserve reset respond restart restock restore resubmit retrieve return reupholster
review revise ring rinse run sand save scan schedule scrub seal search see sell send separate service set settle sew share sharpen shave ship shop shovel show shower shred sign sketch skype sleep smoke soak solve sort
speak split spray squeeze stain start steam stock stop store straighten stretch study submit subscribe sue surprise swap sweep swim sync tackle take talk teach tell test text thank throw tidy tie touch tow track trade
train transcribe transfer translate treat trim try tune turn tutor type unclog unload unpack unplug unsubscribe update upgrade upload use vacuum verify visit vote wake walk wash watch water wax weed weigh
ping nudge reconcile onboard escalate brief circulate rsvp babysit triage cite cram brew bleach unblock chase hoover refuel restring rehang reply resend reschedule prewash marinate thaw sow fertilize fertilise assemble dispatch courier hem darn
wipe wish withdraw work wrap write yoga zoom`;

export const ERRAND_VERBS: ReadonlySet<string> = new Set(ERRANDS.trim().split(/\s+/));

/** Requests that may be meant for the assistant itself: only a question can tell whether a todo was meant. */
export const ASSISTANT_VERBS: ReadonlySet<string> = new Set(
  `book order send email e-mail text message play turn set schedule translate calculate compare search write draw compose sing summarize explain describe define generate google
  open close start stop run launch show tell give find help create make think say repeat ignore act pretend answer look read check convert solve recommend suggest list print use change reset copy count`
    .trim()
    .split(/\s+/),
);

/** Two words that name one thing. */
export const PAIRS =
  /\b(?:mac and cheese|salt and pepper|salt & pepper|fish and chips|peanut butter and jelly|pb and j|pros and cons|terms and conditions|arts and crafts|meet and greet|bed and breakfast|bread and butter|q and a|q&a|r&d|research and development|supply and demand|lost and found|dungeons and dragons|cut and paste|rock and roll|black and white|gin and tonic|wine and cheese|bacon and eggs|ham and cheese|oil and vinegar|mom and dad|mum and dad|wash and (?:fold|dry)|wash and wax|nuts and bolts|plug and play|search and replace|track and trace|profit and loss|bits and bobs|odds and ends|stop and shop|bed bath and beyond|barnes and noble|johnson and johnson)\b/i;

/** Words that do not help to identify a todo. */
export const EMPTY_WORDS: ReadonlySet<string> = new Set(
  `a an the my our your his her its their this that these those to of for in on at by with from about into onto off up out and or as is are was were be been it i me we us you he she they them one ones
  todo todos task tasks item items reminder reminders entry entries thing things list lists please now just so then also too already really still any some all every each other another new old
  stupid damn bloody silly dumb fucking freaking annoying whole entire
  need have has had do does did not no yes will would can could should called named titled saying says regarding concerning related stuff`
    .trim()
    .split(/\s+/),
);

/** Verbs that many todos start with, so they hardly distinguish them. */
export const COMMON_VERBS: ReadonlySet<string> = new Set(
  'get buy do go make take call finish complete pick work start send write pay clean'.split(' '),
);

/** The stems of those verbs. */
export const COMMON_STEMS: ReadonlySet<string> = new Set([...COMMON_VERBS].map(stem));

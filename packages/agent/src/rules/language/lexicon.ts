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

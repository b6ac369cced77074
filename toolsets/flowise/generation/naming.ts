import { clip } from '@millrace/kernel';

const ASKING = /^(please |kindly |can you |could you |would you |i (would like|want|need)( you)?( to)? |let's |help me (to )?)+/i;
const MAKING = /^(create|build|make|generate|design|develop|write|set up|implement|give me|produce|construct)( me| us)? /i;
const ARTICLE = /^(an?|the|some|my|our) /i;
const WHERE_A_NAME_ENDS = /\s+(that|which|who|where|when|to|for|with|using|by|from|in order|so that|and then)\s|[,.;:!?()\n]/i;
const LONGEST_NAME = 60;
const LONGEST_DESCRIPTION = 300;

/** What the description says that the agent is, without the words that ask for it. */
function subjectOf(description: string): string {
  const plain = description.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return plain.replace(ASKING, '').replace(MAKING, '').replace(ARTICLE, '').trim() || plain;
}

/** A name for a generated flow: "Create a research agent that …" becomes "Research Agent". */
export function suggestedName(description: string): string {
  const subject = subjectOf(description);
  const end = subject.search(WHERE_A_NAME_ENDS);
  const words = (end > 2 ? subject.slice(0, end) : subject).split(' ').filter(Boolean);
  let name = '';
  for (const word of words) {
    if (name.length + word.length + 1 > LONGEST_NAME) break;
    name = `${name} ${capitalised(word)}`.trim();
  }
  return name || subject.slice(0, LONGEST_NAME) || 'Generated agentflow';
}

/** One sentence about the flow, from what was asked for. */
export function suggestedDescription(description: string): string {
  return clip(capitalised(subjectOf(description)), LONGEST_DESCRIPTION - 1);
}

function capitalised(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length);
}

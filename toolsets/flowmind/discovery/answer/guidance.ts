import { clip } from '@millrace/kernel';
import type { ContextDefinition } from '../../flow/context.ts';
import type { Candidate } from '../fit/discovery.ts';
import { choiceVariable, type Given, rounded } from './matches.ts';
import type { FieldRequest, FieldRequestResult, Match, NearMiss } from './request.ts';

type Guidance = FieldRequestResult['guidance'];
type Status = FieldRequestResult['status'];

const ALWAYS_HELPFUL = ['domain', 'urgency'];
const USUAL_QUERY = 'Checkout system throwing 500 errors on payment processing';

interface Answered {
  status: Status;
  request: FieldRequest;
  matches: readonly Match[];
  candidates: readonly Candidate[];
}

/** What to do with this reply, and what would have made it better. */
export function guidanceFor({ status, request, matches, candidates }: Answered): Guidance {
  const [first] = matches;
  const context = candidates.find((candidate) => candidate.context.uri === first?.uri)?.context;
  const given = Object.keys(request.extracted_variables ?? {});
  const helpful = [
    ...(first?.variables.missing ?? []),
    ...ALWAYS_HELPFUL.filter((name) => !given.includes(name)),
    ...(first?.variables.optional ?? []).filter((name) => !given.includes(name)),
  ];
  return {
    message: messageFor(status, first),
    suggestions: suggestionsFor(status, first, context),
    teaching: {
      insight: insightFor(status, first, given),
      better_query_example: context?.examples[0] ?? candidates[0]?.context.examples[0] ?? USUAL_QUERY,
      variables_that_would_help: [...new Set(helpful)].slice(0, 5),
    },
  };
}

function messageFor(status: Status, first: Match | undefined): string {
  switch (status) {
    case 'success':
      return first?.activation.can_execute
        ? `"${first.name}" fits and can be run: send next_action as it stands`
        : `"${first?.name}" fits. Before it can run: ${(first?.activation.reasons ?? []).join('; ')}`;
    case 'disambiguation_needed':
      return 'Several contexts fit about equally well: ask the user one of the questions in disambiguation, then call again with the answer as a variable';
    case 'refinement_suggested':
      return `"${first?.name}" may be meant, but the match is too weak to run it: say more about what is needed`;
    case 'content_processing_required':
      return 'The large content has to be summarised or saved where it can be read before a context can be chosen';
    case 'no_matches':
      return 'No context fits this request: answer it yourself, or describe the task behind it';
  }
}

function suggestionsFor(status: Status, first: Match | undefined, context: ContextDefinition | undefined): string[] {
  switch (status) {
    case 'content_processing_required':
      return [
        'Put a summary of at most 1000 characters into content_reference.content_summary',
        'Or save the content below the workspace and give its path in content_reference.content_file_path',
        'List the names that matter in content_reference.key_entities',
      ];
    case 'no_matches':
      return [
        'Say what should come out of it, not only the topic',
        'Look through list_available_contexts for what there is',
        'Add domain to extracted_variables',
      ];
    default:
      return [
        ...questionsToAsk(first, context),
        ...(status === 'refinement_suggested' ? ['Say in the query what happened, to what, and what should come out of it'] : []),
      ];
  }
}

function questionsToAsk(first: Match | undefined, context: ContextDefinition | undefined): string[] {
  return (first?.variables.missing ?? []).slice(0, 3).map((name) => {
    const spec = context?.variables[name];
    const about = spec?.description?.replace(/[.?!]+$/, '') ?? name.replaceAll('_', ' ');
    return spec?.values ? `Ask user: "${about}?" (one of ${spec.values.join(', ')})` : `Ask user: "${about}?"`;
  });
}

function insightFor(status: Status, first: Match | undefined, given: readonly string[]): string {
  if (status === 'no_matches') return 'A request that fits no context gets no suggestion: a poor match is never offered';
  if (first && first.variables.missing.length > 0)
    return `"${first.name}" runs as soon as ${first.variables.missing.join(' and ')} ${first.variables.missing.length === 1 ? 'is' : 'are'} given`;
  if (given.length === 0) return 'Variables put the right context first when several are close; domain helps most';
  if (!given.includes('domain')) return 'With domain given, contexts of that domain come first';
  return 'The query and the variables together decide: keep both specific';
}

type Disambiguation = NonNullable<FieldRequestResult['disambiguation']>;
type Question = Disambiguation['questions'][number];

const MOST_RIVALS = 3;
const MOST_QUESTIONS = 3;

/** The candidates that this request cannot tell apart; one or none when the first is clear. */
export function rivals(candidates: readonly Candidate[], margin: number): Candidate[] {
  const [first] = candidates;
  if (!first) return [];
  const close = candidates.filter((candidate) => candidate.fitness >= 0 && first.fitness - candidate.fitness < margin);
  return close.slice(0, MOST_RIVALS);
}

export function disambiguate(close: readonly Candidate[], given: Given): Disambiguation {
  const contexts = close.map((candidate) => candidate.context);
  return {
    needed: true,
    reason: `${contexts.length} contexts match with similar confidence: ${contexts.map((context) => context.uri).join(', ')}`,
    questions: questionsFor(contexts, given),
  };
}

/** When each of them applies, and what only one of them works with. */
function questionsFor(contexts: readonly ContextDefinition[], given: Given): Question[] {
  const byVariable = contexts.flatMap((context) => {
    const own = Object.keys(context.variables).find(
      (name) => !Object.hasOwn(given, name) && contexts.every((other) => other === context || !Object.hasOwn(other.variables, name)),
    );
    return own ? [variableQuestion(context, own)] : [];
  });
  const byActivation = contexts
    .filter((context) => given[choiceVariable(context)] === undefined)
    .map(
      (context): Question => ({
        question: `Is this the situation: ${context.activation.condition.replace(/[.?!]+$/, '')}?`,
        why: `If so, "${context.name}" (${context.uri}) is meant`,
        variable_captured: choiceVariable(context),
      }),
    );
  return [...byActivation.slice(0, 2), ...byVariable, ...byActivation.slice(2)].slice(0, MOST_QUESTIONS);
}

function variableQuestion(context: ContextDefinition, name: string): Question {
  const spec = context.variables[name];
  const words = name.replaceAll('_', ' ');
  const about = spec?.description ? `${words} (${spec.description.replace(/[.?!]+$/, '')})` : words;
  const values = spec?.values ? `: ${spec.values.join(', ')}` : '';
  return {
    question: `Can you tell the ${about}${values}?`,
    why: `Of the candidates, only "${context.name}" (${context.uri}) works with it`,
    variable_captured: name,
  };
}

const MOST_NEAR_MISSES = 5;
/** Contexts further away than this did not come close; the nearest one is still named. */
const FAINTEST = 0.1;
const SHOWN = 120;

/** Contexts that came close but are not offered, with the reason. */
export function nearMisses(candidates: readonly Candidate[], offered: ReadonlySet<string>, filteredOut: readonly Candidate[]): NearMiss[] {
  const filtered = filteredOut
    .filter((candidate) => candidate.fitness >= 0 && !offered.has(candidate.context.uri))
    .slice(0, 2)
    .map((candidate) => nearMiss(candidate, `It is of type ${candidate.context.type}, which type_filter leaves out`));
  const others = candidates
    .filter((candidate) => !offered.has(candidate.context.uri))
    .filter(({ confidence }, at) => at === 0 || confidence >= FAINTEST)
    .slice(0, MOST_NEAR_MISSES)
    .map((candidate) => nearMiss(candidate, reasonOf(candidate, offered.size > 0)));
  return [...filtered, ...others].slice(0, MOST_NEAR_MISSES);
}

function nearMiss(candidate: Candidate, reason: string): NearMiss {
  return { uri: candidate.context.uri, name: candidate.context.name, confidence: rounded(candidate.confidence), reason };
}

function reasonOf({ context, fitness, confidence }: Candidate, offering: boolean): string {
  const [example] = context.examples;
  const purpose =
    example === undefined
      ? `it says of itself: "${clip(context.description, SHOWN)}"`
      : `it is for requests such as "${clip(example, SHOWN)}"`;
  if (fitness < 0) return `Too far away (${rounded(confidence)}, 0.5 is needed): ${purpose}`;
  return offering ? 'Other contexts fit better' : 'It fits, but not clearly';
}

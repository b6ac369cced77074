import type { ContextDefinition } from '../language/context.ts';
import { choiceVariable, type Given } from './alignment.ts';
import type { Candidate } from './discovery.ts';
import type { FieldRequestResult } from './request.ts';

type Disambiguation = NonNullable<FieldRequestResult['disambiguation']>;
type Question = Disambiguation['questions'][number];

const MOST_RIVALS = 3;
const MOST_QUESTIONS = 3;

/** The candidates that cannot be told apart by this request; one or none when the first is clear. */
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

/** First what only one of them works with, then when each of them applies. */
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

import { type ContextDefinition, isOfType, optionalVariables, requiredVariables, type VariableSpec } from '../../language/context.ts';
import { wordsOf } from '../index/lexical-index.ts';
import type { Candidate } from './discovery.ts';
import { confidenceOf, type Fit } from './fit.ts';

export type Given = Readonly<Record<string, unknown>>;

export interface Alignment {
  required: string[];
  optional: string[];
  provided: string[];
  missing: string[];
  /** From 0 to 1: how much of what the context works with is provided. */
  share: number;
}

/** What a context asks for, compared with what the request provides. A value that the context would refuse does not count. */
export function alignmentOf(context: ContextDefinition, given: Given): Alignment {
  const required = requiredVariables(context);
  const optional = optionalVariables(context);
  const usable = (name: string) => Object.hasOwn(given, name) && acceptable(context.variables[name], given[name]);
  const provided = [...required, ...optional].filter(usable);
  const missing = required.filter((name) => !usable(name));
  return { required, optional, provided, missing, share: shareOf(required, provided, optional) };
}

function shareOf(required: readonly string[], provided: readonly string[], optional: readonly string[]): number {
  if (required.length > 0) return provided.filter((name) => required.includes(name)).length / required.length;
  return optional.length === 0 ? 1 : Math.min(1, 0.5 + provided.length / optional.length);
}

export function acceptable(spec: VariableSpec | undefined, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (!spec) return true;
  if (spec.values && !spec.values.some((each) => each === value)) return false;
  if (typeof value === 'number' && ((spec.minimum ?? value) > value || (spec.maximum ?? value) < value)) return false;
  if (typeof value === 'string' && spec.maxLength !== undefined && value.length > spec.maxLength) return false;
  return isOfType(spec.type, value);
}

/** The variable in which a caller confirms or rules out a context. */
export function choiceVariable(context: ContextDefinition): string {
  return `is_${context.id.replaceAll('-', '_')}`;
}

const DOMAIN_BONUS = 0.04;
const VARIABLE_BONUS = 0.02;
const URGENCY_BONUS = 0.02;
const CHOICE_BONUS = 0.15;
/** The request is word for word one of the context's examples. */
const EXAMPLE_BONUS = 0.15;

/** Moves the contexts up that fit the request's variables. Whether a request fits any context at all is decided by its words. */
export function ranked(candidates: readonly Candidate[], query: string, given: Given, fit: Fit): Candidate[] {
  const words = wordsOf(query).join(' ');
  return candidates
    .map((candidate) => {
      const meant = candidate.context.examples.some((example) => wordsOf(example).join(' ') === words);
      const fitness = candidate.fitness + bonusOf(candidate.context, given) + (meant ? EXAMPLE_BONUS : 0);
      return { ...candidate, fitness, confidence: confidenceOf(fitness, fit) };
    })
    .sort((a, b) => b.fitness - a.fitness || (a.context.uri < b.context.uri ? -1 : 1));
}

function bonusOf(context: ContextDefinition, given: Given): number {
  const domain = given['domain'] !== undefined && given['domain'] === context.domain ? DOMAIN_BONUS : 0;
  const urgent = given['urgency'] === 'critical' || given['urgency'] === 'emergency';
  const urgency = urgent && context.domain === 'emergency' ? URGENCY_BONUS : 0;
  const known = Object.keys(context.variables).filter((name) => Object.hasOwn(given, name)).length;
  const chosen = given[choiceVariable(context)];
  const choice = chosen === true ? CHOICE_BONUS : chosen === false ? -CHOICE_BONUS : 0;
  return domain + urgency + choice + VARIABLE_BONUS * Math.min(2, known);
}

import type { Catalog } from '@millrace/kernel';
import type { ContextDefinition } from '../../flow/context.ts';
import { isAcceptable } from '../../flow/variables.ts';
import type { Candidate } from '../fit/discovery.ts';
import { confidenceOf, type Fit } from '../fit/fit.ts';
import { wordsOf } from '../index/lexical-index.ts';
import type { FieldRequest, Match } from './request.ts';

export type Given = Readonly<Record<string, unknown>>;

interface Alignment {
  required: string[];
  optional: string[];
  provided: string[];
  missing: string[];
  /** From 0 to 1: how much of what the context works with is provided. */
  share: number;
}

export interface MatchPorts {
  catalog: Catalog;
  /** Why the user may not run a context; undefined when they may. */
  refusal(context: ContextDefinition): Promise<{ reason: string; unlock: string } | undefined>;
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

export async function matchOf(candidate: Candidate, request: FieldRequest, ports: MatchPorts): Promise<Match> {
  const { context } = candidate;
  const given: Given = request.extracted_variables ?? {};
  const alignment = alignmentOf(context, given);
  const { share, ...variables } = alignment;
  const nextAction = nextActionOf(context, request, given);
  const domainMatch = given['domain'] !== undefined && given['domain'] === context.domain;
  const reasons = await obstacles(candidate, alignment, nextAction, ports);
  const explained = request.context_preferences?.include_explanations ?? true;
  return {
    uri: context.uri,
    type: context.type,
    name: context.name,
    confidence: rounded(candidate.confidence),
    match_reasoning: {
      semantic_similarity: rounded(Math.min(1, candidate.semanticSimilarity)),
      variable_alignment: rounded(share),
      domain_match: domainMatch,
      ...(explained && { explanation: explanationOf(candidate, request.query, alignment, domainMatch) }),
    },
    activation: {
      condition: context.activation.condition,
      confidence_required: context.activation.confidenceThreshold,
      your_confidence: request.confidence_level,
      can_execute: reasons.length === 0,
      ...(reasons.length > 0 && { reasons }),
    },
    variables,
    execution_preview: previewOf(context),
    next_action: nextAction,
  };
}

/** What a context asks for, compared with what the request provides. A value that the context would refuse does not count. */
function alignmentOf(context: ContextDefinition, given: Given): Alignment {
  const required = context.needs;
  const optional = Object.keys(context.variables).filter((name) => !required.includes(name));
  const usable = (name: string) => Object.hasOwn(given, name) && isAcceptable(context.variables[name], given[name]);
  const provided = [...required, ...optional].filter(usable);
  const missing = required.filter((name) => !usable(name));
  return { required, optional, provided, missing, share: shareOf(required, provided, optional) };
}

function shareOf(required: readonly string[], provided: readonly string[], optional: readonly string[]): number {
  if (required.length > 0) return provided.filter((name) => required.includes(name)).length / required.length;
  return optional.length === 0 ? 1 : Math.min(1, 0.5 + provided.length / optional.length);
}

/** Why this match cannot run yet: the match itself, its variables, the user's level; never the confidence that the caller states. */
async function obstacles(candidate: Candidate, { missing }: Alignment, next: Match['next_action'], ports: MatchPorts): Promise<string[]> {
  const { context, confidence } = candidate;
  const reasons: string[] = [];
  if (confidence < context.activation.confidenceThreshold) {
    reasons.push(`The match has ${rounded(confidence)}, and ${context.activation.confidenceThreshold} is required`);
  }
  if (missing.length > 0) reasons.push(`Missing: ${missing.join(', ')}`);
  const refused = context.type === 'tool' && missing.length === 0 ? refusedBy(ports.catalog, next) : undefined;
  if (refused) reasons.push(refused);
  const refusal = await ports.refusal(context);
  if (refusal) reasons.push(`${refusal.reason}. ${refusal.unlock}`);
  return reasons;
}

/** Why a tool would refuse a call; undefined when it would accept it. */
function refusedBy(catalog: Catalog, { tool, parameters }: Match['next_action']): string | undefined {
  const entry = catalog.find(tool);
  if (!entry) return `There is no tool named ${tool}`;
  const { error } = entry.tool.input.safeParse(parameters);
  return error && (error.issues[0]?.message ?? 'The parameters do not fit');
}

/** The call that runs it: for a tool that tool itself, for all else execute_workflow. */
function nextActionOf(context: ContextDefinition, { query }: FieldRequest, given: Given): Match['next_action'] {
  if (context.type === 'tool' && context.action) {
    const named = Object.entries(given).filter(([name]) => Object.hasOwn(context.variables, name));
    return { tool: context.action.tool, parameters: { ...context.action.parameters, ...Object.fromEntries(named) } };
  }
  const usable = Object.entries(given).filter(([name, value]) => isAcceptable(context.variables[name], value));
  // Conditions in words look at what the user said.
  const takesMessage = context.outline.judges || Object.hasOwn(context.variables, 'message');
  const message = takesMessage && !Object.hasOwn(given, 'message') ? { message: query } : {};
  return {
    tool: 'execute_workflow',
    parameters: { workflow_uri: context.uri, initial_variables: { ...Object.fromEntries(usable), ...message } },
  };
}

/** What running a context will be like. */
function previewOf({ action, outline, type, dependencies, stoppingCondition }: ContextDefinition): Match['execution_preview'] {
  const { steps, loops, branches } = outline;
  const workflow = loops ? 'recursive_workflow' : type === 'agent' ? 'agent' : branches ? 'branching_workflow' : 'linear_workflow';
  return {
    type: action ? 'tool_call' : workflow,
    estimated_steps: stepsText(steps),
    contexts_involved: dependencies,
    stopping_condition: stoppingCondition ?? (action ? `${action.tool} has answered` : 'All steps are done'),
  };
}

function stepsText({ least, most }: ContextDefinition['outline']['steps']): string {
  if (most === undefined) return `${least} or more, depending on how often it repeats`;
  return least === most ? String(least) : `${least}-${most} depending on the branches taken`;
}

const COMMON = new Set(
  wordsOf(
    'a an and are as at be by can could do for from how i in is it me my need of on or our please that the this to us want we what when with would you your',
  ),
);

function explanationOf(
  { context, confidence, semanticSimilarity }: Candidate,
  query: string,
  alignment: Alignment,
  domainMatch: boolean,
): string {
  const strength = confidence >= 0.85 ? 'Strong match' : confidence >= 0.65 ? 'Good match' : 'Weak match';
  const meaning = semanticSimilarity > 0 ? ` (closeness in meaning ${semanticSimilarity.toFixed(2)})` : '';
  const shared = sharedWords(query, context);
  return [
    `${strength} with "${context.name}"${meaning}`,
    ...(shared.length > 0 ? [`shared words: ${shared.join(', ')}`] : []),
    ...(domainMatch ? [`domain ${context.domain} matches`] : []),
    ...(alignment.provided.length > 0 ? [`${alignment.provided.join(', ')} given`] : []),
    ...(alignment.missing.length > 0 ? [`${alignment.missing.join(', ')} still missing`] : []),
  ].join('; ');
}

function sharedWords(query: string, context: ContextDefinition): string[] {
  const known = new Set([context.name, context.description, ...context.examples].flatMap(wordsOf));
  const written = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const shared = written.filter((word) => {
    const [stem] = wordsOf(word);
    return stem !== undefined && word.length > 2 && !COMMON.has(stem) && known.has(stem);
  });
  return [...new Set(shared.map((word) => word.toLowerCase()))].slice(0, 5);
}

/** Four digits are enough for a caller. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

import type { User } from '@millrace/kernel';
import type { ContextDefinition } from '../../language/context.ts';
import { everyNode } from '../../nodes/registry.ts';
import type { Teacher } from '../../teaching/teacher.ts';
import { type Alignment, acceptable, alignmentOf, type Given } from '../fit/alignment.ts';
import type { Candidate } from '../fit/discovery.ts';
import { wordsOf } from '../index/lexical-index.ts';
import { previewOf } from './preview.ts';
import type { FieldRequest, Match } from './request.ts';

export interface MatchPorts {
  user: User;
  teacher: Pick<Teacher, 'refusal'>;
  /** Undefined when a tool takes these parameters; otherwise what is wrong with them. */
  refusedParameters(tool: string, parameters: Record<string, unknown>): string | undefined;
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

/** Why this match cannot run yet: the match itself, its variables, the user's level; never the confidence that the caller states. */
async function obstacles(candidate: Candidate, { missing }: Alignment, next: Match['next_action'], ports: MatchPorts): Promise<string[]> {
  const { context, confidence } = candidate;
  const reasons: string[] = [];
  if (confidence < context.activation.confidenceThreshold) {
    reasons.push(`The match has ${rounded(confidence)}, and ${context.activation.confidenceThreshold} is required`);
  }
  if (missing.length > 0) reasons.push(`Missing: ${missing.join(', ')}`);
  const refused = context.type === 'tool' && missing.length === 0 ? ports.refusedParameters(next.tool, next.parameters) : undefined;
  if (refused) reasons.push(refused);
  const refusal = await ports.teacher.refusal(context, ports.user);
  if (refusal) reasons.push(`${refusal.reason}. ${refusal.unlock}`);
  return reasons;
}

/** The call that runs it: for a tool that tool itself, for all else execute_workflow. */
function nextActionOf(context: ContextDefinition, { query }: FieldRequest, given: Given): Match['next_action'] {
  if (context.type === 'tool' && context.action) {
    const named = Object.entries(given).filter(([name]) => Object.hasOwn(context.variables, name));
    return { tool: context.action.tool, parameters: { ...context.action.parameters, ...Object.fromEntries(named) } };
  }
  const usable = Object.entries(given).filter(([name, value]) => acceptable(context.variables[name], value));
  const message = judgesMessages(context) && !Object.hasOwn(given, 'message') ? { message: query } : {};
  return {
    tool: 'execute_workflow',
    parameters: { workflow_uri: context.uri, initial_variables: { ...Object.fromEntries(usable), ...message } },
  };
}

/** Semantic conditions look at what the user said. */
function judgesMessages(context: ContextDefinition): boolean {
  if (Object.hasOwn(context.variables, 'message')) return true;
  for (const node of everyNode(context.flow)) {
    if (node.kind === 'switch_semantic') return true;
    if (node.kind === 'if' && node.branches.some((branch) => branch.condition.kind !== 'expression')) return true;
    if (node.kind === 'while' && node.condition.kind !== 'expression') return true;
  }
  return false;
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

import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';
import { z } from 'zod';
import { COMPLEXITIES, CONTEXT_TYPES, DOMAINS } from '../../flow/context.ts';
import type { Search } from '../fit/discovery.ts';

const text = z.string();

/** Variables that a caller extracted from what its user said. Further ones are accepted as they are. */
const extractedVariables = z
  .looseObject({
    domain: z.enum(DOMAINS).describe('Primary domain of the request').optional(),
    urgency: z.enum(['low', 'medium', 'high', 'critical', 'emergency']).describe('How urgent is this request?').optional(),
    complexity: z.enum(COMPLEXITIES).describe('Estimated complexity of the task').optional(),
    user_sentiment: z
      .enum(['neutral', 'positive', 'frustrated', 'confused', 'urgent'])
      .describe('Detected user emotional state')
      .optional(),
    technology: text.describe('Primary technology mentioned (e.g., python, react, aws)').optional(),
    error_type: z
      .enum(['syntax', 'runtime', 'logic', 'performance', 'security'])
      .describe('Type of technical error if applicable')
      .optional(),
    system_component: text.describe('System component affected (e.g., database, api, frontend)').optional(),
    creative_type: z.enum(['writing', 'design', 'music', 'art', 'video']).describe('Type of creative work').optional(),
    genre: text.describe('Genre for creative work (e.g., romance, fantasy, mystery)').optional(),
    audience: z.enum(['children', 'young_adult', 'adult', 'professional', 'general']).describe('Target audience').optional(),
    business_area: z
      .enum(['strategy', 'operations', 'finance', 'marketing', 'hr', 'sales'])
      .describe('Business function involved')
      .optional(),
    stakeholder_count: z.number().min(1).max(1000).describe('Number of people affected').optional(),
    jurisdiction: text.describe('Geographic jurisdiction (e.g., US, EU, California, Austin-TX)').optional(),
    compliance_type: z
      .enum(['data_privacy', 'financial', 'healthcare', 'environmental', 'safety'])
      .describe('Type of compliance concern')
      .optional(),
  })
  .describe('Variables extracted from user input. The more you provide, the better the match.');

const contextPreferences = z
  .strictObject({
    type_filter: z.array(z.enum(CONTEXT_TYPES)).describe('Limit search to specific context types').optional(),
    max_results: z.number().min(1).max(10).default(5).describe('Maximum number of results to return'),
    include_explanations: z.boolean().default(true).describe('Include detailed explanations for matches'),
  })
  .describe('Search options');

const contentReference = z
  .strictObject({
    has_large_content: z.boolean().describe('True if user provided large content (>1000 chars)'),
    content_type: z.enum(['document', 'code', 'data', 'mixed']).describe('Type of large content').optional(),
    content_summary: text.max(1000).describe('Brief summary of the large content').optional(),
    content_file_path: text.describe('Path where large content was saved').optional(),
    key_entities: z.array(text).max(20).describe('Key entities extracted from content (e.g., character names, function names)').optional(),
  })
  .describe('Large content');

export const fieldRequestInput = z.strictObject({
  query: text.min(10).max(500).describe('Concise 2-sentence summary of what the user needs. Be specific about domain and intent.'),
  extracted_variables: extractedVariables.optional(),
  confidence_level: z
    .number()
    .min(0)
    .max(1)
    .describe('Your confidence in the variable extraction (0-1). Be honest - lower confidence gets better guidance.'),
  context_preferences: contextPreferences.optional(),
  content_reference: contentReference.optional(),
});

export type FieldRequest = z.output<typeof fieldRequestInput>;

const probability = z.number().min(0).max(1);

const action = z.object({ tool: text, parameters: z.record(text, z.unknown()) });

export const match = z.object({
  uri: text,
  type: z.enum(CONTEXT_TYPES),
  name: text,
  confidence: probability,
  match_reasoning: z.object({
    semantic_similarity: probability,
    variable_alignment: probability,
    domain_match: z.boolean(),
    explanation: text.optional(),
  }),
  activation: z.object({
    condition: text,
    confidence_required: probability,
    your_confidence: probability,
    can_execute: z.boolean(),
    /** Why not, where can_execute is false. */
    reasons: z.array(text).optional(),
  }),
  variables: z.object({ required: z.array(text), optional: z.array(text), provided: z.array(text), missing: z.array(text) }),
  execution_preview: z.object({
    type: text,
    estimated_steps: text,
    contexts_involved: z.array(text),
    stopping_condition: text,
  }),
  next_action: action,
});

export type Match = z.output<typeof match>;

const nearMiss = z.object({ uri: text, name: text, confidence: probability, reason: text });
export type NearMiss = z.output<typeof nearMiss>;

export const fieldRequestResult = z.object({
  status: z.enum(['success', 'disambiguation_needed', 'refinement_suggested', 'no_matches', 'content_processing_required']),
  matches: z.array(match),
  guidance: z.object({
    message: text,
    suggestions: z.array(text),
    teaching: z.object({ insight: text, better_query_example: text, variables_that_would_help: z.array(text) }),
  }),
  disambiguation: z
    .object({
      needed: z.boolean(),
      reason: text,
      questions: z.array(z.object({ question: text, why: text, variable_captured: text })),
    })
    .optional(),
  why_not: z.array(nearMiss),
  _metadata: z.object({
    search_time_ms: z.number(),
    embedding_time_ms: z.number(),
    contexts_searched: z.number(),
    indices_used: z.array(text),
    cache_hit: z.boolean(),
    alpha_llm_calls: z.number(),
  }),
});

export type FieldRequestResult = z.output<typeof fieldRequestResult>;

/** A rule of the contract that a request breaks. */
interface BrokenRule {
  field: string;
  issue: string;
  suggestion: string;
  code: 'INVALID_QUERY' | 'INVALID_VARIABLES' | 'INVALID_CONFIDENCE';
  message: string;
  fix: { instruction: string; example: Record<string, unknown>; why: string };
  guidance?: Record<string, unknown>;
  blockedBy: string;
}

const TECHNOLOGIES = ['python', 'javascript', 'java', 'react', 'aws'];
const KNOWN_TECHNOLOGIES = [
  ...TECHNOLOGIES,
  ...['typescript', 'node', 'go', 'rust', 'ruby', 'php', 'c#', 'c++', 'kotlin', 'swift', 'sql', 'postgres', 'mysql', 'sqlite', 'redis'],
  ...['mongodb', 'kafka', 'docker', 'kubernetes', 'terraform', 'linux', 'nginx', 'azure', 'gcp', 'django', 'rails', 'spring', 'vue'],
  ...['angular', 'svelte', 'graphql', 'git', 'github', 'jenkins', 'android', 'ios', 'n8n', 'flowise', 'stripe', 'wordpress'],
];

/** The rules that refuse a request, in the order of the contract. */
export function brokenRules(request: FieldRequest): BrokenRule[] {
  return [briefQuery(request), missingTechnology(request), missingDomain(request), highConfidence(request)].filter(
    (rule) => rule !== undefined,
  );
}

function briefQuery({ query }: FieldRequest): BrokenRule | undefined {
  if (query.trim().split(/\s+/).length >= 3) return undefined;
  return {
    field: 'query',
    issue: 'Too brief',
    suggestion: 'Add more context: what, why, or how',
    code: 'INVALID_QUERY',
    message: 'The query has fewer than three words',
    fix: {
      instruction: 'Say in one or two sentences what the user needs',
      example: { query: `${query.trim()}: what happened, and what should come out of it` },
      why: 'Contexts are matched by meaning, and one or two words fit too many of them',
    },
    blockedBy: 'brief_query',
  };
}

function missingTechnology({ query, extracted_variables }: FieldRequest): BrokenRule | undefined {
  if (extracted_variables?.domain !== 'technical' || extracted_variables.technology) return undefined;
  return {
    field: 'extracted_variables.technology',
    issue: 'Technical domain requires technology',
    suggestion: 'Specify the primary technology involved',
    code: 'INVALID_VARIABLES',
    message: 'Domain "technical" requires technology to be specified',
    fix: {
      instruction: 'Add technology to extracted_variables',
      example: { technology: technologyIn(query) ?? 'python' },
      why: 'Technical workflows are organized by technology stack',
    },
    guidance: {
      common_technologies: TECHNOLOGIES,
      detection_hint: 'Look for language names, frameworks, or platforms in user message',
    },
    blockedBy: 'missing_technology_variable',
  };
}

function missingDomain({ extracted_variables }: FieldRequest): BrokenRule | undefined {
  const urgency = extracted_variables?.urgency;
  if ((urgency !== 'critical' && urgency !== 'emergency') || extracted_variables?.domain) return undefined;
  return {
    field: 'extracted_variables.domain',
    issue: `Urgency "${urgency}" requires domain`,
    suggestion: 'Say which domain the emergency is in',
    code: 'INVALID_VARIABLES',
    message: `Urgency "${urgency}" requires domain to be specified`,
    fix: {
      instruction: 'Add domain to extracted_variables',
      example: { domain: 'emergency' },
      why: 'An urgent request must reach the right kind of context at the first try',
    },
    guidance: { domains: [...DOMAINS] },
    blockedBy: 'missing_domain_variable',
  };
}

function highConfidence({ confidence_level, extracted_variables }: FieldRequest): BrokenRule | undefined {
  if (confidence_level <= 0.9 || Object.keys(extracted_variables ?? {}).length >= 3) return undefined;
  return {
    field: 'confidence_level',
    issue: 'High confidence with few variables',
    suggestion: 'Lower confidence or extract more variables',
    code: 'INVALID_CONFIDENCE',
    message: 'A confidence above 0.9 needs at least three variables',
    fix: {
      instruction: 'Lower confidence_level to 0.9 or less, or extract at least three variables',
      example: { confidence_level: 0.8 },
      why: 'Confidence is about the variables that you extracted, and there are hardly any',
    },
    blockedBy: 'unsupported_confidence',
  };
}

function technologyIn(query: string): string | undefined {
  const words = new Set(query.toLowerCase().match(/[a-z][a-z0-9#+]*/g));
  return KNOWN_TECHNOLOGIES.find((technology) => words.has(technology));
}

/** All broken rules in one failure; the first one names it. */
export function refusal(broken: readonly [BrokenRule, ...BrokenRule[]], request: FieldRequest, search: Search): Failure {
  const [{ message, code, field, fix, blockedBy }] = broken;
  const errors = broken.map(({ field, issue, suggestion }) => ({ field, issue, suggestion }));
  return new Failure('invalid_input', message, {
    details: { code, field, guidance: { ...Object.assign({}, ...broken.map((rule) => rule.guidance)), errors } },
    fix,
    partial: { message: wouldHaveFound(search, request), blocked_by: blockedBy },
  });
}

/** What the request would have found, in a sentence. */
function wouldHaveFound({ candidates }: Search, { extracted_variables }: FieldRequest): string {
  const found = candidates.filter((candidate) => candidate.fitness >= 0).slice(0, 5);
  if (found.length === 0) return 'Would have found no context that fits';
  const domain = extracted_variables?.domain ? `${extracted_variables.domain} ` : '';
  const names = found.slice(0, 3).map((candidate) => candidate.context.uri);
  return `Would have found ${found.length} ${domain}${found.length === 1 ? 'context' : 'contexts'}: ${names.join(', ')}${found.length > 3 ? ', …' : ''}`;
}

/** Large content is announced, but there is neither a summary nor a file below the folder that we may read. */
export async function contentIsMissing({ content_reference }: FieldRequest, folder: string): Promise<boolean> {
  if (!content_reference?.has_large_content) return false;
  if (content_reference.content_summary?.trim()) return false;
  return !(content_reference.content_file_path && (await isReadable(content_reference.content_file_path, folder)));
}

async function isReadable(path: string, folder: string): Promise<boolean> {
  try {
    const [below, file] = await Promise.all([realpath(folder), realpath(resolve(folder, path))]);
    if (!file.startsWith(below + sep)) return false;
    await access(file, constants.R_OK);
    return (await stat(file)).isFile();
  } catch (error) {
    // Not there, or not ours to read.
    if (!isSystemError(error)) throw error;
    return false;
  }
}

import { z } from 'zod';
import { COMPLEXITIES, CONTEXT_TYPES, DOMAINS } from '../../language/context.ts';

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

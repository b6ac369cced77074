import { disambiguate, guidanceFor, nearMisses, rivals } from '../discovery/answer/guidance.ts';
import { matchOf, ranked, rounded } from '../discovery/answer/matches.ts';
import {
  brokenRules,
  contentIsMissing,
  type FieldRequest,
  type FieldRequestResult,
  fieldRequestInput,
  fieldRequestResult,
  refusal,
} from '../discovery/answer/request.ts';
import type { Candidate, Discovery, Search } from '../discovery/fit/discovery.ts';
import { confidenceOf } from '../discovery/fit/fit.ts';
import { tool } from '../tool.ts';

export const fieldRequest = tool({
  name: 'field_request',
  description: `Universal context discovery for workflows, agents, patterns, and tools. Use this when you need to find appropriate contexts based on user needs. The system will match based on semantic similarity and variables.
Domain technical needs technology, urgency critical or emergency needs domain, confidence_level above 0.9 needs three variables.`,
  said: [
    'what can help me with this',
    'find the right workflow for my request',
    'I need something for this situation',
    'which tool should I use for that',
  ],
  access: 'read',
  annotations: { title: 'Find a context', readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: fieldRequestInput,
  output: fieldRequestResult,
  limits: { perMinute: 60, burst: 10, progressiveBackoff: true },

  /** Finds what fits a request, and reports how well, why, and what to do next. */
  async run(request, { services: { discovery, teacher, catalog, workspace }, user, signal }) {
    const [broken, ...others] = brokenRules(request);
    // A refusal names what the request would have found, so it needs the search too.
    const search = await searchFor(request, discovery, signal);
    if (broken) throw refusal([broken, ...others], request, search);
    const missing = await contentIsMissing(request, workspace);
    const { status, candidates, offered, close } = missing ? nothing('content_processing_required') : findingOf(request, search);
    const ports = { catalog: catalog(), refusal: (context: Candidate['context']) => teacher.refusal(context, user) };
    const matches = await Promise.all(offered.map((candidate) => matchOf(candidate, request, ports)));
    return {
      status,
      matches,
      guidance: guidanceFor({ status, request, matches, candidates }),
      ...(status === 'disambiguation_needed' && { disambiguation: disambiguate(close, request.extracted_variables ?? {}) }),
      why_not: nearMisses(candidates, new Set(matches.map((match) => match.uri)), await filteredOut(request, discovery, signal)),
      _metadata: {
        search_time_ms: rounded(Math.max(0, search.searchMs)),
        embedding_time_ms: rounded(Math.max(0, search.embeddingMs)),
        contexts_searched: search.contextsSearched,
        indices_used: search.indicesUsed,
        cache_hit: search.cacheHit,
        alpha_llm_calls: 0,
      },
    };
  },
});

/** What a search means for its request. */
interface Finding {
  status: FieldRequestResult['status'];
  /** Every context that was compared, the best first. */
  candidates: readonly Candidate[];
  offered: readonly Candidate[];
  /** Those of the offered that cannot be told apart. */
  close: readonly Candidate[];
}

function searchFor(request: FieldRequest, discovery: Discovery, signal: AbortSignal): Promise<Search> {
  const types = request.context_preferences?.type_filter ?? [];
  return discovery.search(request.query, {
    ...(types.length > 0 && { only: (context) => types.includes(context.type) }),
    words: furtherWords(request),
    signal,
  });
}

const TELLING_VARIABLES = ['technology', 'system_component', 'genre', 'creative_type', 'jurisdiction'];

/** Values and entities count by their words: the meaning comes from the query alone. */
function furtherWords({ extracted_variables, content_reference }: FieldRequest): string {
  const values = Object.entries(extracted_variables ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && TELLING_VARIABLES.includes(name) ? [value.slice(0, 60)] : [],
  );
  return [...values, ...(content_reference?.key_entities ?? []).slice(0, 5)].join(' ');
}

function nothing(status: Finding['status'], candidates: readonly Candidate[] = []): Finding {
  return { status, candidates, offered: [], close: [] };
}

function findingOf(request: FieldRequest, { candidates: found, nearest, fit }: Search): Finding {
  const candidates = ranked(found, request.query, request.extracted_variables ?? {}, fit);
  if (nearest < 0) return nothing('no_matches', candidates);
  // Once the request fits one context, the next best are shown too: the caller may know better.
  const faintest = confidenceOf(-fit.typical, fit);
  const offered = candidates
    .filter((candidate) => candidate.confidence >= faintest)
    .slice(0, Math.floor(request.context_preferences?.max_results ?? 5));
  const close = rivals(offered, fit.margin);
  return { status: statusOf(offered, close), candidates, offered, close };
}

function statusOf([first]: readonly Candidate[], close: readonly Candidate[]): Finding['status'] {
  if (!first) return 'no_matches';
  if (close.length > 1) return 'disambiguation_needed';
  return first.confidence < first.context.activation.confidenceThreshold ? 'refinement_suggested' : 'success';
}

/** The best contexts of the types that type_filter leaves out. */
async function filteredOut(request: FieldRequest, discovery: Discovery, signal: AbortSignal): Promise<Candidate[]> {
  const types = request.context_preferences?.type_filter ?? [];
  if (types.length === 0) return [];
  const { candidates } = await discovery.search(request.query, { only: (context) => !types.includes(context.type), most: 2, signal });
  return candidates;
}

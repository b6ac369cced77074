import { ranked } from '../fit/alignment.ts';
import type { Candidate, Discovery, Search } from '../fit/discovery.ts';
import { confidenceOf } from '../fit/fit.ts';
import { disambiguate, guidanceFor, nearMisses, rivals } from './guidance.ts';
import { type MatchPorts, matchOf, rounded } from './matches.ts';
import type { FieldRequest, FieldRequestResult } from './request.ts';
import { brokenRules, contentIsMissing, refusal } from './request-rules.ts';

export interface AnswerPorts extends MatchPorts {
  discovery: Discovery;
  /** Folders in which content may be read. */
  roots: readonly string[];
  searched(ms: number): void;
  signal: AbortSignal;
}

/** What a search means for its request. */
interface Finding {
  status: FieldRequestResult['status'];
  /** Every context that was compared, the best first. */
  candidates: readonly Candidate[];
  offered: readonly Candidate[];
  /** Those of the offered that cannot be told apart. */
  close: readonly Candidate[];
}

/** Finds what fits a request, and reports how well, why, and what to do next. */
export async function answerRequest(request: FieldRequest, ports: AnswerPorts): Promise<FieldRequestResult> {
  const [broken, ...others] = brokenRules(request);
  // A refusal names what the request would have found, so it needs the search too.
  const search = await searchFor(request, ports);
  if (broken) throw refusal([broken, ...others], request, search);
  const missing = await contentIsMissing(request, ports.roots);
  const finding = missing ? nothing('content_processing_required') : findingOf(request, search);
  const matches = await Promise.all(finding.offered.map((candidate) => matchOf(candidate, request, ports)));
  return {
    status: finding.status,
    matches,
    guidance: guidanceFor({ status: finding.status, request, matches, candidates: finding.candidates }),
    ...(finding.status === 'disambiguation_needed' && {
      disambiguation: disambiguate(finding.close, request.extracted_variables ?? {}),
    }),
    why_not: nearMisses(finding.candidates, new Set(matches.map((match) => match.uri)), await filteredOut(request, ports)),
    _metadata: {
      search_time_ms: rounded(Math.max(0, search.searchMs)),
      embedding_time_ms: rounded(Math.max(0, search.embeddingMs)),
      contexts_searched: search.contextsSearched,
      indices_used: search.indicesUsed,
      cache_hit: search.cacheHit,
      alpha_llm_calls: 0,
    },
  };
}

async function searchFor(request: FieldRequest, { discovery, searched, signal }: AnswerPorts): Promise<Search> {
  const types = request.context_preferences?.type_filter ?? [];
  const search = await discovery.search(request.query, {
    ...(types.length > 0 && { only: (context) => types.includes(context.type) }),
    words: furtherWords(request),
    signal,
  });
  searched(search.searchMs + search.embeddingMs);
  return search;
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
async function filteredOut(request: FieldRequest, { discovery, signal }: AnswerPorts): Promise<Candidate[]> {
  const types = request.context_preferences?.type_filter ?? [];
  if (types.length === 0) return [];
  const { candidates } = await discovery.search(request.query, { only: (context) => !types.includes(context.type), most: 2, signal });
  return candidates;
}

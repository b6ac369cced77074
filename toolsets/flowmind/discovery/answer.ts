import { Failure } from '@millrace/kernel';
import { type Given, ranked } from './alignment.ts';
import { contentIsMissing } from './content.ts';
import { disambiguate, rivals } from './disambiguation.ts';
import type { Candidate, Discovery, Search } from './discovery.ts';
import { confidenceOf } from './fit.ts';
import { guidanceFor } from './guidance.ts';
import { type MatchPorts, matchOf } from './matches.ts';
import type { FieldRequest, FieldRequestResult } from './request.ts';
import { brokenRules, wouldHaveFound } from './rules.ts';
import { rounded, whyNot } from './why-not.ts';

export interface AnswerPorts extends MatchPorts {
  discovery: Discovery;
  /** Folders in which content may be read. */
  roots: readonly string[];
  searched(ms: number): void;
  signal: AbortSignal;
}

type Status = FieldRequestResult['status'];

/** Finds what fits a request, says how well and why, and what to do next. */
export async function answerRequest(request: FieldRequest, ports: AnswerPorts): Promise<FieldRequestResult> {
  const given: Given = request.extracted_variables ?? {};
  const search = await searchFor(request, ports);
  ports.searched(search.searchMs + search.embeddingMs);
  await refuseBrokenRules(request, search);
  if (await contentIsMissing(request, ports.roots)) return reply('content_processing_required', request, search, [], [], ports);
  const candidates = ranked(search.candidates, request.query, given, search.fit);
  if (search.nearest < 0) return reply('no_matches', request, search, [], candidates, ports);
  const offered = offeredOf(candidates, request, search);
  const close = rivals(offered, search.fit.margin);
  return reply(statusOf(offered, close), request, search, offered, candidates, ports, close);
}

function searchFor(request: FieldRequest, { discovery, signal }: AnswerPorts): Promise<Search> {
  const types = request.context_preferences?.type_filter;
  return discovery.search(request.query, {
    ...(types && types.length > 0 && { only: (context) => types.includes(context.type) }),
    words: furtherWords(request),
    signal,
  });
}

/** Values and summaries count by their words: the query alone says what is meant. */
function furtherWords({ extracted_variables, content_reference }: FieldRequest): string {
  const values = Object.entries(extracted_variables ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && ['technology', 'system_component', 'genre', 'creative_type', 'jurisdiction'].includes(name)
      ? [value.slice(0, 60)]
      : [],
  );
  return [...values, ...(content_reference?.key_entities ?? []).slice(0, 5)].join(' ');
}

async function refuseBrokenRules(request: FieldRequest, search: Search): Promise<void> {
  const broken = brokenRules(request);
  const [first] = broken;
  if (!first) return;
  const errors = broken.map(({ field, issue, suggestion }) => ({ field, issue, suggestion }));
  throw new Failure('invalid_input', first.message, {
    details: { code: first.code, field: first.field, guidance: { ...Object.assign({}, ...broken.map((rule) => rule.guidance)), errors } },
    fix: first.fix,
    partial: { message: wouldHaveFound(search.candidates, request), blocked_by: first.blockedBy },
  });
}

/** Once the request is within one context, the next best are shown too: the caller may know better. */
function offeredOf(candidates: readonly Candidate[], request: FieldRequest, { fit }: Search): Candidate[] {
  const faintest = confidenceOf(-fit.typical, fit);
  return candidates
    .filter((candidate) => candidate.confidence >= faintest)
    .slice(0, Math.floor(request.context_preferences?.max_results ?? 5));
}

function statusOf([first]: readonly Candidate[], close: readonly Candidate[]): Status {
  if (!first) return 'no_matches';
  if (close.length > 1) return 'disambiguation_needed';
  return first.confidence < first.context.activation.confidenceThreshold ? 'refinement_suggested' : 'success';
}

async function reply(
  status: Status,
  request: FieldRequest,
  search: Search,
  offered: readonly Candidate[],
  candidates: readonly Candidate[],
  ports: AnswerPorts,
  close: readonly Candidate[] = [],
): Promise<FieldRequestResult> {
  const matches = await Promise.all(offered.map((candidate) => matchOf(candidate, request, ports)));
  const leftOut = search.indicesUsed.includes('type_filtered') ? await unfiltered(request, ports) : [];
  return {
    status,
    matches,
    guidance: guidanceFor({ status, request, matches, candidates }),
    ...(status === 'disambiguation_needed' && { disambiguation: disambiguate(close, request.extracted_variables ?? {}) }),
    why_not: whyNot(candidates, new Set(matches.map((match) => match.uri)), leftOut),
    _metadata: {
      search_time_ms: milliseconds(search.searchMs),
      embedding_time_ms: milliseconds(search.embeddingMs),
      contexts_searched: search.contextsSearched,
      indices_used: search.indicesUsed,
      cache_hit: search.cacheHit,
      alpha_llm_calls: 0,
    },
  };
}

async function unfiltered(request: FieldRequest, { discovery, signal }: AnswerPorts): Promise<Candidate[]> {
  const types = request.context_preferences?.type_filter ?? [];
  const { candidates } = await discovery.search(request.query, { only: (context) => !types.includes(context.type), most: 2, signal });
  return candidates;
}

function milliseconds(value: number): number {
  return rounded(Math.max(0, value));
}

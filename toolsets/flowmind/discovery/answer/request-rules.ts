import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { Failure, isSystemError } from '@millrace/kernel';
import { DOMAINS } from '../../language/context.ts';
import type { Search } from '../fit/discovery.ts';
import type { FieldRequest } from './request.ts';

/** A rule of the contract that a request breaks. */
interface BrokenRule {
  field: string;
  issue: string;
  suggestion: string;
  code: 'INVALID_QUERY' | 'INVALID_VARIABLES' | 'INVALID_CONFIDENCE';
  message: string;
  fix: { instruction: string; example: Record<string, unknown>; why: string };
  guidance: Record<string, unknown>;
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
    guidance: {},
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
    guidance: {},
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

/** Large content is announced, but there is neither a summary nor a file that we may read. */
export async function contentIsMissing({ content_reference }: FieldRequest, roots: readonly string[]): Promise<boolean> {
  if (!content_reference?.has_large_content) return false;
  if (content_reference.content_summary?.trim()) return false;
  return !(content_reference.content_file_path && (await isReadable(content_reference.content_file_path, roots)));
}

async function isReadable(path: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    try {
      const [below, file] = await Promise.all([realpath(root), realpath(resolve(root, path))]);
      if (!file.startsWith(below + sep)) continue;
      await access(file, constants.R_OK);
      if ((await stat(file)).isFile()) return true;
    } catch (error) {
      // Not there, or not ours to read: the next root may have it.
      if (!isSystemError(error)) throw error;
    }
  }
  return false;
}

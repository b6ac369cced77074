/** Why a run failed, in our words: Flowise's own text may come from anywhere and is not repeated. */
export interface Cause {
  code: string;
  message: string;
  fix?: string;
}

const CAUSES: (Cause & { pattern: RegExp })[] = [
  { pattern: /aborted|AbortError/i, code: 'stopped', message: 'the run was stopped' },
  {
    pattern: /\b401\b|incorrect api key|invalid.{0,10}api.?key|invalid x-api-key|MODEL_AUTHENTICATION|authentication_error/i,
    code: 'provider_credential',
    message: 'the provider of a model or tool refused the credential that the flow uses',
    fix: 'Fix that credential in Flowise; FLOWISE_API_KEY is not the cause',
  },
  {
    pattern: /\b429\b|rate.?limit|too many requests|quota|insufficient_quota|MODEL_RATE_LIMIT/i,
    code: 'provider_limit',
    message: 'the provider of a model or tool had too many requests',
    fix: 'Wait, then try again',
  },
  {
    pattern: /model.{0,60}(not found|does not exist)|MODEL_NOT_FOUND/i,
    code: 'provider_model',
    message: 'the provider does not know the model that the flow names',
    fix: "Choose another model in the flow's nodes",
  },
  {
    pattern: /context.?length|maximum context|too many tokens/i,
    code: 'context_length',
    message: 'the conversation is too long for the model',
    fix: 'Start a new chat, or shorten the question',
  },
  {
    pattern: /credential.{0,60}not found|missing credential|credential.{0,20}required/i,
    code: 'missing_credential',
    message: 'a credential that the flow names is missing',
    fix: 'deploy_chatflow says which node it is',
  },
  {
    pattern: /inputParams is not iterable|Cannot read propert(y|ies) of (undefined|null)|is not iterable|filePath/i,
    code: 'incomplete_node',
    message: 'a node of the flow is incomplete',
    fix: 'Save the flow again with update_chatflow: it fills in what is missing',
  },
  {
    pattern: /Ending nodes? (must|not)/i,
    code: 'no_ending',
    message: 'the flow does not end in a chain, an agent or an engine',
    fix: 'Fix the flow with update_chatflow',
  },
  {
    pattern: /is required|No start|Starting node|Start node/i,
    code: 'missing_value',
    message: 'something that the flow needs is not filled in',
    fix: 'deploy_chatflow says what it is',
  },
  {
    pattern: /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|fetch failed|connection error|network error|socket hang up/i,
    code: 'unreachable',
    message: 'something that the flow uses cannot be reached from Flowise',
  },
  { pattern: /timed? ?out|ETIMEDOUT/i, code: 'provider_timeout', message: 'something that the flow uses did not answer in time' },
  {
    pattern: /\b5\d\d\b|internal server error|overloaded|bad gateway/i,
    code: 'provider_failure',
    message: 'the provider of a model or tool failed',
    fix: 'Try again later',
  },
];

const UNKNOWN: Cause = { code: 'unknown', message: 'a node of the flow failed', fix: "Flowise's own log says why" };

export function causeOf(message: string): Cause {
  return CAUSES.find(({ pattern }) => pattern.test(message)) ?? UNKNOWN;
}

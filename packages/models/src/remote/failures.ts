import { type TransportError, transportErrorOf, waitOf } from '@millrace/http';
import { Failure } from '@millrace/kernel';
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  NoContentGeneratedError,
  NoObjectGeneratedError,
  NoOutputGeneratedError,
  RetryError,
  TypeValidationError,
} from 'ai';
import { PROVIDERS, type Provider } from '../providers.ts';
import type { AskedModel } from './access.ts';

/** What went wrong, in our words, and whether and when asking again may help. */
export interface ModelTrouble {
  failure: Failure;
  again: boolean;
  waitMs?: number;
}

// The SDK would write its warnings to the console, and stdout belongs to the protocol.
(globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;

/** The SDK's classes for an answer that it could not read. */
const UNREADABLE = [EmptyResponseBodyError, InvalidResponseDataError, JSONParseError, TypeValidationError];

/** Its classes for an answer that was read and could not be used. */
const UNUSABLE = [NoContentGeneratedError, NoObjectGeneratedError, NoOutputGeneratedError];

/** Connections that fail now and may succeed later, unlike those to an unknown host or with an untrusted certificate. */
const UNREACHABLE_FOR_NOW = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Does the work; trouble with the provider is a Failure, the caller's abort its own reason, everything else as it is. */
export async function inOurWords<Result>(
  asked: AskedModel & { signal?: AbortSignal | undefined },
  work: () => Promise<Result>,
): Promise<Result> {
  const { signal } = asked;
  try {
    signal?.throwIfAborted();
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw modelTrouble(asked, error)?.failure ?? error;
  }
}

/** Undefined for errors that the provider did not cause: those are bugs. */
export function modelTrouble(asked: AskedModel, error: unknown): ModelTrouble | undefined {
  if (error instanceof Failure) return { failure: error, again: false };
  const transport = transportErrorOf(error);
  if (transport) return { failure: unanswered(asked, transport), again: mayPass(transport) };
  if (UNREADABLE.some((known) => known.isInstance(error))) return notAModel(asked, error);
  const call = callErrorOf(error);
  if (call?.statusCode === undefined) return UNUSABLE.some((known) => known.isInstance(error)) ? unusable(asked, error) : undefined;
  return call.statusCode >= 200 && call.statusCode < 300 ? notAModel(asked, error) : refused(asked, call, call.statusCode);
}

function callErrorOf(error: unknown): APICallError | undefined {
  if (APICallError.isInstance(error)) return error;
  return RetryError.isInstance(error) ? callErrorOf(error.lastError) : undefined;
}

function mayPass({ problem, code }: TransportError): boolean {
  return problem === 'unreachable' ? UNREACHABLE_FOR_NOW.has(code) : problem !== 'too_large';
}

function unanswered({ provider, model, addressSetting }: AskedModel, cause: TransportError): Failure {
  const { title } = PROVIDERS[provider];
  const details = { provider, model };
  if (cause.problem === 'timeout') return new Failure('timeout', `${title} did not answer in time`, { details, cause });
  return new Failure('unavailable', `${title} cannot be reached: ${cause.reason}`, {
    details: { ...details, reason: cause.code },
    fix: { instruction: addressSetting ? `Check the network and the address (${addressSetting})` : 'Check the network' },
    cause,
  });
}

/** What answers there is a web page, a proxy or another service. */
function notAModel({ provider, model, addressSetting }: AskedModel, cause: unknown): ModelTrouble {
  const who = addressSetting ? `The address in ${addressSetting}` : PROVIDERS[provider].title;
  const instruction = addressSetting
    ? `Check ${addressSetting}, including its path`
    : 'Check the network: a proxy may have answered instead of the provider';
  const failure = new Failure('upstream', `${who} answered with something that is not a model's answer`, {
    details: { provider, model },
    fix: { instruction },
    cause,
  });
  return { failure, again: false };
}

function unusable({ provider, model }: AskedModel, cause: unknown): ModelTrouble {
  const { title } = PROVIDERS[provider];
  const failure = new Failure('upstream', `${title} gave an answer that could not be used`, { details: { provider, model }, cause });
  return { failure, again: false };
}

function refused(asked: AskedModel, cause: APICallError, status: number): ModelTrouble {
  const waitMs = waitOf(cause.responseHeaders?.['retry-after'], Date.now());
  return {
    failure: refusal(asked, cause, status),
    again: status === 408 || status === 409 || status === 429 || status >= 500,
    ...(waitMs !== undefined && { waitMs }),
  };
}

function refusal({ provider, model, isDefault, modelSetting, addressSetting }: AskedModel, cause: APICallError, status: number): Failure {
  const { title, secrets }: Provider = PROVIDERS[provider];
  const [variable] = secrets;
  const details = { provider, model, status };
  const said = cause.responseBody ?? '';
  if (status === 401 || status === 403 || /api[ _]key/i.test(said)) {
    return new Failure('unavailable', `${title} does not accept the credentials, or they may not use the model "${model}"`, {
      details,
      fix: { instruction: `Check ${variable} and what it is allowed to use` },
      cause,
    });
  }
  if (status === 404 || /model (?:identifier is invalid|not found)|model_not_found/i.test(said)) {
    return new Failure('unavailable', `${title} has no model named "${model}"${isDefault ? ' (the default)' : ''}`, {
      details,
      fix: {
        instruction: `Set ${modelSetting} to one that it has${
          status === 404 && addressSetting ? `, or check the address (${addressSetting}): a wrong path also answers 404` : ''
        }`,
      },
      cause,
    });
  }
  if (status === 429) {
    return new Failure('upstream', `${title} refuses further requests: a quota or rate limit is used up`, {
      details,
      fix: { instruction: 'Wait a while, or raise the quota with the provider; progress so far is saved' },
      cause,
    });
  }
  return new Failure('upstream', `${title} answered with status ${status}`, { details, cause });
}

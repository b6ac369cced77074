import { bufferedFetch, HttpClient, streamedFetch } from '@millrace/http';

/** How long and how often a provider is asked. */
export interface Patience {
  /** For one attempt. */
  timeoutMs?: number;
  attempts?: number;
  /** The first wait; it doubles with each attempt. */
  waitMs?: number;
}

const LONGEST_WAIT_MS = 60_000;

/** For embeddings and single answers: asking again changes nothing, so whatever may pass by itself is asked again. */
export function patientFetch({ attempts = 4, waitMs = 500, timeoutMs = 60_000 }: Patience): typeof fetch {
  const pausesMs = Array.from({ length: attempts - 1 }, (_, index) => waitMs * 2 ** index);
  return bufferedFetch(new HttpClient({ retry: { pausesMs, longestWaitMs: LONGEST_WAIT_MS, repeatable: true } }), { timeoutMs });
}

/** For conversations: words come through as they are said, and whoever holds the conversation decides about asking again. */
export function streamingFetch(): typeof fetch {
  return streamedFetch(new HttpClient());
}

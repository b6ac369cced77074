import { expect, test } from 'vitest';
import { TOOL_REQUESTS } from './tool-requests.ts';

test('every tool has its own sentences, long enough to be sent', () => {
  const all = Object.values(TOOL_REQUESTS).flat();
  expect(new Set(all).size).toBe(all.length);
  for (const [uri, sentences] of Object.entries(TOOL_REQUESTS)) {
    expect(uri).toMatch(/^tool:\/\/[a-z0-9]+\/[a-z0-9-]+$/);
    expect(sentences.length, uri).toBeGreaterThanOrEqual(3);
    for (const sentence of sentences) expect(sentence.split(' ').length, sentence).toBeGreaterThanOrEqual(3);
  }
});

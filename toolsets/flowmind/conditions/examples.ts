import { isNegated } from '../language/lexicon.ts';
import { decided, type Rung, unknown } from './verdict.ts';

/** The two sides must be this far apart before the nearer one decides. */
const MARGIN = 0.12;
const NEAR = 0.45;

/** Compares the message, by embedding, with sentences for which the condition holds and fails. Within the margin it does not know. */
export const judgedByExamples: Rung = async ({ message, examples, signal }, { embedder }) => {
  if (!embedder || !examples || examples.holds.length === 0 || message.trim() === '') return undefined;
  const { holds, fails } = examples;
  const [subject, ...vectors] = await embedder.embed([message, ...holds, ...fails], { kind: 'passage', signal });
  if (!subject) return undefined;
  const near = nearness(subject, vectors.slice(0, holds.length), holds);
  const far = nearness(subject, vectors.slice(holds.length), fails);
  const margin = near.score - far.score;
  const evidence = [near, far].filter((each) => each.text).map((each) => `${each.score.toFixed(2)} to "${each.text}"`);
  const best = margin >= 0 ? near : far;
  if (Math.abs(margin) < MARGIN || best.score < NEAR)
    return unknown('examples', 'The message is about as near to the one side as to the other', evidence);
  // Embeddings are blind to "not": a message and an example that differ in it say nothing about each other.
  if (isNegated(message) !== isNegated(best.text))
    return unknown('examples', 'The message and its nearest example differ in a negation', evidence);
  return decided('examples', margin > 0, Math.min(0.95, 0.5 + Math.abs(margin)), `The message is nearest to "${best.text}"`, evidence);
};

function nearness(subject: Float32Array, vectors: readonly Float32Array[], texts: readonly string[]): { score: number; text: string } {
  let best = { score: 0, text: '' };
  vectors.forEach((vector, index) => {
    const score = cosine(subject, vector);
    if (score > best.score) best = { score, text: texts[index] ?? '' };
  });
  return best;
}

/** Of unit vectors, as an Embedder makes them. */
function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

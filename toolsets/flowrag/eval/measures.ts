export interface Measures {
  /** Normalised discounted cumulative gain: how high the gold documents stand. */
  ndcg: number;
  /** The share of gold documents found. */
  recall: number;
  /** 1 where all gold documents were found. */
  allGold: number;
}

/** `found[rank]` says which gold documents (by number) the document at that rank is; one document may stand for several. */
export function measure(found: readonly (readonly number[])[], gold: number, limit: number): Measures {
  const seen = new Set<number>();
  let gain = 0;
  for (const [rank, entries] of found.slice(0, limit).entries()) {
    const fresh = entries.filter((entry) => !seen.has(entry));
    if (fresh.length > 0) gain += 1 / Math.log2(rank + 2);
    for (const entry of fresh) seen.add(entry);
  }
  let ideal = 0;
  for (let rank = 0; rank < Math.min(gold, limit); rank++) ideal += 1 / Math.log2(rank + 2);
  return { ndcg: gain / ideal, recall: seen.size / gold, allGold: seen.size === gold ? 1 : 0 };
}

export function mean(all: readonly Measures[]): Measures {
  const average = (value: (measures: Measures) => number) =>
    all.reduce((sum, measures) => sum + value(measures), 0) / Math.max(1, all.length);
  return { ndcg: average((one) => one.ndcg), recall: average((one) => one.recall), allGold: average((one) => one.allGold) };
}

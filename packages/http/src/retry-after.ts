const LONGEST_MS = 86_400_000;

/** What a Retry-After header asks for, in milliseconds: it holds seconds or a date. */
export function waitOf(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_MS);
  const at = Date.parse(text);
  return Number.isNaN(at) || text.startsWith('-') ? undefined : Math.min(Math.max(0, at - now), LONGEST_MS);
}

/** Names within a few typing errors of what was written, the closest first. */
export function nearest(written: string, known: Iterable<string>, most = 3): string[] {
  const wanted = plain(written).slice(0, 100);
  if (!wanted) return [];
  const tolerance = Math.max(2, Math.ceil(wanted.length / 3));
  const scored: { name: string; distance: number }[] = [];
  for (const name of known) {
    const candidate = plain(name);
    const contains = candidate.length > 2 && wanted.length > 2 && (candidate.includes(wanted) || wanted.includes(candidate));
    const distance = contains ? 1 : editDistance(wanted, candidate.slice(0, 100), tolerance);
    if (distance <= tolerance) scored.push({ name, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return scored.slice(0, most).map((entry) => entry.name);
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[\s_-]+/g, '');
}

/** Levenshtein distance; anything beyond `limit` comes back as limit + 1. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] as number) + 1, (current[column - 1] as number) + 1, substitution));
    }
    if (Math.min(...current) > limit) return limit + 1;
    previous = current;
  }
  return previous[b.length] as number;
}

/** An object of JSON: no list, and not null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The value if it is an object of JSON, else one without members. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

/** The parsed JSON, or undefined for text that is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Walks level by level: the depth of what came from outside must not be able to overflow the stack. */
export function isNestedDeeperThan(root: unknown, levels: number): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const value of level) {
      if (value === null || typeof value !== 'object') continue;
      for (const child of Object.values(value)) if (child !== null && typeof child === 'object') next.push(child);
    }
    level = next;
  }
  return false;
}

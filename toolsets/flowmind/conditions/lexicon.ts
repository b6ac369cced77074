export const MEASURES: readonly string[] = ['frustration', 'urgency', 'positivity', 'negativity', 'confusion'];

/** How strongly a text shows the measure, from 0 to 1. */
export function analyze(_text: string, _measure: string): number {
  return 0;
}

import type { Discovery } from './discovery.ts';

/** A tool that is sent and not needed costs a little, one that is missing a whole step: the worse the best one fits, the more are taken. */
const WHEN_ONE_FITS = 8;
const WHEN_NONE_FITS = 12;
/** Contexts of our own are taken when they come this near to fitting. */
const NEARLY = -0.05;

/** The tools with which a request can be met, the likeliest first: found as field_request finds contexts. */
export async function findTools(discovery: Discovery, request: string, signal: AbortSignal): Promise<string[]> {
  const { candidates } = await discovery.search(request, { signal });
  const callable = candidates.filter(({ context }) => context.action !== undefined);
  const own = candidates.find(({ context }) => context.action === undefined);
  const most = (callable[0]?.fitness ?? 0) > 0 ? WHEN_ONE_FITS : WHEN_NONE_FITS;
  const tools = new Set(callable.map(({ context }) => context.action?.tool ?? ''));
  return [...(own && own.fitness > NEARLY ? ['field_request', 'execute_workflow'] : []), ...[...tools].slice(0, most)];
}

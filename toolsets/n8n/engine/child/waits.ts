import type { N8nNodeType } from '../n8n-packages.ts';

/** A wait up to this long is real, as long as the waits of the run stay below the total; others are skipped. */
const LONGEST_MS = 2_000;
const LONGEST_TOTAL_MS = 5_000;

const UNITS: Record<string, number> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** How long one run has waited, with all that it calls. */
export interface Patience {
  waitedMs: number;
}

interface WaitContext {
  additionalData: { patience?: Patience; sendDataToUI(type: string, data: unknown): void };
  getNodeParameter(name: string, index: number): unknown;
  getInputData(): unknown[];
  getNode(): { name: string };
}

type Execute = NonNullable<N8nNodeType['execute']>;

/** The Wait node, but a wait that would slow a test down is skipped, and logged. */
export function withoutLongWaits(wait: Execute): Execute {
  return async function (this: unknown, ...parameters: unknown[]) {
    // Newer nodes are given their context as an argument, older ones as `this`.
    const context = (hasParameters(parameters[0]) ? parameters[0] : this) as WaitContext;
    const milliseconds = waitOf(context);
    if (milliseconds === undefined) return wait.call(this, ...parameters);
    const patience = context.additionalData.patience ?? { waitedMs: 0 };
    if (milliseconds > LONGEST_MS || patience.waitedMs + milliseconds > LONGEST_TOTAL_MS) {
      const message = `would wait for ${inWords(milliseconds)} here; a test continues at once`;
      context.additionalData.sendDataToUI('sendConsoleMessage', { source: context.getNode().name, messages: [message] });
      return [context.getInputData()];
    }
    patience.waitedMs += milliseconds;
    return wait.call(this, ...parameters);
  };
}

/** The milliseconds that the node waits; undefined when it waits for something else, or n8n will report its mistake. */
function waitOf(context: WaitContext): number | undefined {
  const resume = context.getNodeParameter('resume', 0);
  if (resume === 'timeInterval') {
    const amount = Number(context.getNodeParameter('amount', 0)) * (UNITS[String(context.getNodeParameter('unit', 0))] ?? Number.NaN);
    return amount >= 0 ? amount : undefined;
  }
  const time = resume === 'specificTime' ? Date.parse(String(context.getNodeParameter('dateTime', 0))) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - Date.now());
}

function inWords(milliseconds: number): string {
  for (const [unit, length] of Object.entries(UNITS).toReversed()) {
    if (milliseconds >= length) return `${Math.round((milliseconds / length) * 10) / 10} ${unit}`;
  }
  return `${milliseconds} ms`;
}

function hasParameters(value: unknown): value is WaitContext {
  return typeof (value as Partial<WaitContext> | undefined)?.getNodeParameter === 'function';
}

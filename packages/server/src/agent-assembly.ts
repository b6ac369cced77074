import { Agent, rulesModel } from '@millrace/agent';
import type { Log } from '@millrace/kernel';
import { createLanguageModel } from '@millrace/models';
import { agentChoice } from './agent-settings.ts';
import type { Millrace } from './compose.ts';
import type { Configuration } from './configuration.ts';

/** What the agent needs of a composed server. */
type AgentServer = Pick<Millrace, 'catalog' | 'clock' | 'instructions' | 'storage'>;

/** The chat agent over a composed server. */
export async function openAgent(millrace: AgentServer, configuration: Configuration, log: Log): Promise<Agent> {
  const { model, maxSteps, silenceMs } = agentChoice(configuration);
  const { environment } = configuration;
  const { clock } = millrace;
  const timeZone =
    millrace.catalog.toolsets.find((toolset) => toolset.timeZone)?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  let opened: ReturnType<typeof createLanguageModel> | undefined;
  return new Agent({
    store: millrace.storage.store,
    catalog: millrace.catalog,
    audit: millrace.storage.audit,
    async chatModel() {
      if (model === 'rules') return rulesModel({ timeZone, now: () => clock.now() });
      opened ??= createLanguageModel(model, environment);
      opened.catch(() => {
        opened = undefined;
      });
      return opened;
    },
    clock,
    log,
    instructions: millrace.instructions,
    timeZone,
    maxSteps,
    silenceMs,
  });
}

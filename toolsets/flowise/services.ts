import { toolsOf } from '@millrace/kernel';
import type { Flowise } from './client/flowise.ts';
import type { ModelSettings } from './generation/chat-model.ts';
import type { NodeCatalogue } from './nodes/catalogue.ts';
import type { Runs } from './prediction/runs.ts';
import type { Backups } from './store/backups.ts';

export interface FlowiseServices {
  flowise: Flowise;
  nodes: NodeCatalogue;
  backups: Backups;
  runs: Runs;
  requireDeployed: boolean;
  /** For a prediction or a generation. */
  timeoutMs: number;
  model: ModelSettings;
}

export const tool = toolsOf<FlowiseServices>();

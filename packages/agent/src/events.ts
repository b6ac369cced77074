import type { CallStatus, MessageStatus } from './conversations/migrations.ts';

export interface ToolCallSummary {
  tool: string;
  parameters: unknown;
  status: CallStatus;
}

/** What happens in a turn, as it happens. */
export type TurnEvent =
  | { type: 'started'; conversation: string; message: string; resumed: boolean }
  | { type: 'text'; delta: string }
  /** The text since the last complete step is void: the model is asked again. */
  | { type: 'text_dropped' }
  | { type: 'call'; id: string; tool: string; title: string; parameters: unknown }
  | { type: 'result'; id: string; tool: string; status: CallStatus; output: unknown };

export interface TurnResult {
  conversation: string;
  message: string;
  status: MessageStatus;
  reply: string;
  /** The failure may be temporary, so the same message may work later. */
  mayPass: boolean;
  toolCalls: ToolCallSummary[];
}

export type Listener = (event: TurnEvent) => void;

import { isRecord } from '@millrace/kernel';
import { type Operation, unreadable } from './refusals.ts';

export const CHATFLOW_TYPES = ['CHATFLOW', 'AGENTFLOW', 'MULTIAGENT', 'ASSISTANT'] as const;
export type ChatflowType = (typeof CHATFLOW_TYPES)[number];

/** A chatflow as Flowise has it. */
export interface Chatflow {
  id: string;
  name: string;
  type: ChatflowType;
  deployed: boolean;
  flowData: string;
  createdDate?: string;
  updatedDate?: string;
  /** The key that predictions must carry; without one anybody may run the flow. */
  apiKeyId?: string;
  category?: string;
  /** Settings that Flowise keeps as JSON strings beside the flow. */
  settings: Partial<Record<ChatflowSetting, string>>;
}

/** The columns beside name, type, deployed and flowData that belong to a flow and can be written back. */
const CHATFLOW_SETTINGS = [
  'apiConfig',
  'chatbotConfig',
  'analytic',
  'speechToText',
  'textToSpeech',
  'followUpPrompts',
  'category',
  'apikeyid',
] as const;
type ChatflowSetting = (typeof CHATFLOW_SETTINGS)[number];

/** What is sent to create or change a chatflow; null clears a setting. */
export interface ChatflowFields extends Partial<Record<ChatflowSetting, string | null>> {
  name?: string;
  type?: ChatflowType;
  flowData?: string;
  deployed?: boolean;
}

/** The fields that bring a chatflow with other settings back to these. */
export function withoutOtherSettings(fields: ChatflowFields, { settings }: Chatflow): ChatflowFields {
  const others = CHATFLOW_SETTINGS.filter((name) => settings[name] !== undefined && fields[name] === undefined);
  return { ...fields, ...Object.fromEntries(others.map((name) => [name, null])) };
}

export function chatflowsOf(reply: unknown, operation: Operation): Chatflow[] {
  const rows = isRecord(reply) ? reply['data'] : reply;
  if (!Array.isArray(rows)) throw unreadable(operation);
  return rows.map((row) => chatflowOf(row, operation));
}

export function chatflowOf(row: unknown, operation: Operation): Chatflow {
  if (!isRecord(row)) throw unreadable(operation);
  const { id, name, type, deployed, flowData, apikeyid, category } = row;
  if (typeof id !== 'string' || typeof name !== 'string') throw unreadable(operation);
  const createdDate = dateOf(row['createdDate']);
  const updatedDate = dateOf(row['updatedDate']);
  return {
    id,
    name,
    type: CHATFLOW_TYPES.find((known) => known === type) ?? 'CHATFLOW',
    deployed: deployed === true,
    flowData: typeof flowData === 'string' ? flowData : '',
    ...(createdDate && { createdDate }),
    ...(updatedDate && { updatedDate }),
    ...(typeof apikeyid === 'string' && apikeyid && { apiKeyId: apikeyid }),
    ...(typeof category === 'string' && category && { category }),
    settings: settingsOf(row),
  };
}

function settingsOf(row: Record<string, unknown>): Chatflow['settings'] {
  const settings: Chatflow['settings'] = {};
  for (const name of CHATFLOW_SETTINGS) {
    const value = row[name];
    if (typeof value === 'string' && value) settings[name] = value;
  }
  return settings;
}

function dateOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

export { Agent, type AgentOptions, MAX_MESSAGE, type TurnInput } from './agent.ts';
export type { ChatModel } from './chat-model.ts';
export type { Conversation, ConversationPage, StoredCall, StoredMessage } from './conversations/conversations.ts';
export { type AgentTables, agentMigrations } from './conversations/migrations.ts';
export type { Listener, ToolCallSummary, TurnEvent, TurnResult } from './events.ts';
export { rulesModel } from './rules/rules-model.ts';

import type { TurnResult } from '@millrace/agent';

/** The reply where the person can answer it; after trouble that may pass, it says how to go on. */
export function conversationalReply({ reply, mayPass }: TurnResult): string {
  return mayPass ? `${reply} Your message is kept: say "try again" to continue.` : reply;
}

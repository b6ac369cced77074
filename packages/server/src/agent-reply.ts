import type { TurnResult } from '@millrace/agent';

/** The reply for a person who can answer it; after a temporary failure it explains how to continue. */
export function conversationalReply({ reply, mayPass }: TurnResult): string {
  return mayPass ? `${reply} Your message is saved: say "try again" to continue.` : reply;
}

import type { Credentials } from '@millrace/kernel';
import { createRequestStateCodec, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';

interface SealedState {
  pending: string;
  tool: string;
  user: string;
}

export interface RequestStates {
  seal(pendingId: string, tool: string, credentials: Credentials): Promise<string>;
  /** The pending id, or a protocol error when the state is forged, expired, or another user's or tool's. */
  open(state: string, tool: string, credentials: Credentials): Promise<string>;
}

/** What travels through the client between two rounds: only a signed id, bound to the user and the tool. */
export function requestStates(key: () => Promise<Uint8Array>, ttlSeconds: number): RequestStates {
  let codec: Promise<ReturnType<typeof createRequestStateCodec<SealedState>>> | undefined;
  const ready = () => {
    codec ??= key().then((bytes) => createRequestStateCodec<SealedState>({ key: bytes, ttlSeconds }));
    return codec;
  };
  return {
    async seal(pending, tool, credentials) {
      return (await ready()).mint({ pending, tool, user: userOf(credentials) });
    },
    async open(state, tool, credentials) {
      const sealed = await (await ready()).verify(state, {} as never).catch(() => undefined);
      if (sealed?.tool !== tool || sealed.user !== userOf(credentials)) {
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' });
      }
      return sealed.pending;
    },
  };
}

function userOf(credentials: Credentials): string {
  return credentials.kind === 'identified' ? credentials.user.id : credentials.kind;
}

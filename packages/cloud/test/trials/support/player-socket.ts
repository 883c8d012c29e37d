import { serverMessage } from '@placard/protocol';
import type { ServerMessage } from '@placard/protocol';
import { WebSocket } from 'ws';
import { assert } from './contract-violation.ts';

/** The socket of a paired device, seen from the player. */
export interface PlayerSocket {
  readonly messages: readonly ServerMessage[];
  /** Close code; null while open. */
  readonly closeCode: number | null;
  /** Aborts once it has closed. */
  readonly closed: AbortSignal;
  /** The last revision received. */
  readonly knownRevision: string;
  send(text: string | Buffer): void;
  close(): void;
}

/** Connects a device; resolves after the welcome message. `onMessage` gets those that follow. */
export async function openPlayerSocket(
  url: string,
  token: string,
  onMessage: (message: ServerMessage) => void = () => {},
): Promise<PlayerSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/player/socket`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const messages: ServerMessage[] = [];
  let closeCode: number | null = null;
  const welcomed = Promise.withResolvers<void>();
  const closed = new AbortController();
  socket.on('message', (bytes: Buffer) => {
    const message = serverMessage.parse(JSON.parse(bytes.toString('utf8')));
    messages.push(message);
    if (messages.length === 1) {
      welcomed.resolve();
    } else {
      onMessage(message);
    }
  });
  socket.on('close', (code) => {
    closeCode = code;
    closed.abort();
    welcomed.reject(new Error(`the socket was closed with ${code} before a welcome`));
  });
  socket.on('error', (error) => welcomed.reject(error));
  await welcomed.promise;
  assert(messages[0]?.type === 'welcome', 'the server must send welcome first', messages);
  return {
    messages,
    get closeCode() {
      return closeCode;
    },
    get knownRevision() {
      const last = messages.findLast((one) => one.type === 'welcome' || one.type === 'manifest_changed');
      if (last?.type === 'welcome') {
        return last.manifest_revision;
      }
      return last?.type === 'manifest_changed' ? last.revision : '';
    },
    closed: closed.signal,
    send: (text) => socket.send(text),
    close: () => socket.terminate(),
  };
}

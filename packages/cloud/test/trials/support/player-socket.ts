import { once } from 'node:events';
import { serverMessage } from '@placard/protocol';
import type { ServerMessage } from '@placard/protocol';
import { WebSocket } from 'ws';
import { assert } from './contract-violation.ts';

/** The socket of a paired device, seen from the player. */
export interface PlayerSocket {
  readonly messages: readonly ServerMessage[];
  /** Close code; null while open. */
  readonly closeCode: number | null;
  /** The last revision received. */
  readonly knownRevision: string;
  close(): void;
}

/** Connects a device; resolves after the welcome message. */
export async function openPlayerSocket(url: string, token: string): Promise<PlayerSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/player/socket`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const messages: ServerMessage[] = [];
  let closeCode: number | null = null;
  const welcomed = Promise.withResolvers<void>();
  socket.on('message', (bytes: Buffer) => {
    messages.push(serverMessage.parse(JSON.parse(bytes.toString('utf8'))));
    welcomed.resolve();
  });
  socket.on('close', (code) => {
    closeCode = code;
    welcomed.resolve();
  });
  socket.on('error', (error) => welcomed.reject(error));
  await once(socket, 'open');
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
    close: () => socket.terminate(),
  };
}

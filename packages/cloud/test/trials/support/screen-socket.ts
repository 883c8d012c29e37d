import { once } from 'node:events';
import { serverMessage } from '@placard/protocol';
import type { ServerMessage } from '@placard/protocol';
import { WebSocket } from 'ws';
import { must } from './breach.ts';

/** The channel of a paired screen, as it looks from the screen. */
export interface ScreenSocket {
  readonly messages: readonly ServerMessage[];
  /** Close code, once it is closed. */
  readonly closedWith: number | null;
  /** The revision that the screen knows of by now. */
  readonly revision: string;
  close(): void;
}

/** Connects a screen; resolves when it was welcomed. */
export async function openScreenSocket(url: string, token: string): Promise<ScreenSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/player/socket`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const messages: ServerMessage[] = [];
  let closedWith: number | null = null;
  const welcomed = Promise.withResolvers<void>();
  socket.on('message', (bytes: Buffer) => {
    messages.push(serverMessage.parse(JSON.parse(bytes.toString('utf8'))));
    welcomed.resolve();
  });
  socket.on('close', (code) => {
    closedWith = code;
    welcomed.resolve();
  });
  socket.on('error', (error) => welcomed.reject(error));
  await once(socket, 'open');
  await welcomed.promise;
  must(messages[0]?.type === 'welcome', 'the server speaks first, with welcome', messages);
  return {
    messages,
    get closedWith() {
      return closedWith;
    },
    get revision() {
      const last = messages.findLast((one) => one.type === 'welcome' || one.type === 'manifest_changed');
      if (last?.type === 'welcome') return last.manifest_revision;
      return last?.type === 'manifest_changed' ? last.revision : '';
    },
    close: () => socket.terminate(),
  };
}

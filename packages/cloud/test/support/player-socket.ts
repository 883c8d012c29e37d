import { serverMessage } from '@placard/protocol';
import type { PlayerMessage, ServerMessage } from '@placard/protocol';
import { WebSocket } from 'ws';

export interface PlayerSocket {
  /** The next unread message. */
  next(): Promise<ServerMessage>;
  send(message: PlayerMessage | Record<string, unknown>): void;
  closed: Promise<{ code: number; reason: string }>;
  socket: WebSocket;
  close(): void;
}

/** Opens the socket as a player does. Rejects with the HTTP status when the upgrade is rejected. */
export async function openPlayerSocket(url: string, token: string | null): Promise<PlayerSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/v1/player/socket`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    perMessageDeflate: true,
  });
  const messages: ServerMessage[] = [];
  const waiting: ((message: ServerMessage) => void)[] = [];
  socket.on('message', (bytes: Buffer) => {
    const message = serverMessage.parse(JSON.parse(bytes.toString('utf8')));
    const waiter = waiting.shift();
    if (waiter) {
      waiter(message);
    } else {
      messages.push(message);
    }
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  await new Promise<void>((resolve, reject) => {
    socket.on('open', () => resolve());
    socket.on('unexpected-response', (_request, response) => {
      const retryAfter = response.headers['retry-after'];
      const when = retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`;
      reject(new Error(`refused with ${response.statusCode}${when}`));
      socket.terminate();
    });
    socket.on('error', reject);
  });
  return {
    next: () => {
      const queued = messages.shift();
      return queued ? Promise.resolve(queued) : new Promise((resolve) => waiting.push(resolve));
    },
    send: (message) => socket.send(JSON.stringify(message)),
    closed,
    socket,
    close: () => socket.close(),
  };
}

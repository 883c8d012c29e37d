import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Clock } from '../domain/clock.ts';
import type { Refusal } from '../domain/refusal.ts';
import { errorBody } from './errors.ts';

/** A client that was refused has this long to take the answer and hang up. */
export const LINGER_MS = 3000;

/** Refuses what never became a request: writes the envelope and ends the connection, whether the client does or not. */
export function closeWith(socket: Duplex, error: Refusal, clock: Clock): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = errorBody(error);
  const text = JSON.stringify(body);
  const headers = Object.entries(error.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const cancel = clock.setTimer(LINGER_MS, () => socket.destroy());
  socket.once('close', cancel);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n` +
      `x-request-id: ${randomUUID()}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${headers.join('')}\r\n${text}`,
  );
  // What still comes is thrown away: unread, it would reset the connection under the answer.
  socket.resume();
}

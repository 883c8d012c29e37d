import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ApiError } from '../domain/api-error.ts';
import type { Clock } from '../domain/clock.ts';
import { toErrorResponse } from './errors.ts';

/** Time that a rejected client has to read the response and close the connection. */
export const LINGER_MS = 3000;

/** Rejects a connection without a parsed request: writes the error envelope, then closes the connection. */
export function rejectSocket(
  socket: Duplex,
  error: ApiError,
  { clock, publicUrl }: { clock: Clock; publicUrl: () => string },
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = toErrorResponse(error, publicUrl());
  const text = JSON.stringify(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const cancel = clock.setTimer(LINGER_MS, () => socket.destroy());
  socket.once('close', cancel);
  socket.end(
    `HTTP/1.1 ${status} Refused\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n` +
      `x-request-id: ${randomUUID()}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${lines.join('')}\r\n${text}`,
  );
  // Discard further input: unread data would reset the connection before the response arrives.
  socket.resume();
}

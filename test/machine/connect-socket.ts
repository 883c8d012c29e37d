import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Connects to a socket file that a starting program is about to create. */
export async function connectSocket(path: string, withinMs = 10_000): Promise<Socket> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return socket;
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await sleep(50);
    }
  }
}

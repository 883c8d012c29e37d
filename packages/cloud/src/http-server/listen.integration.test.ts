import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from './listen.ts';

/** More than the 511 that Node lets wait. */
const CONNECTIONS = 600;
const MAX_WAIT_MS = 5_000;

/** Connections to the port that wait to be accepted, as Linux counts them. */
function countWaiting(port: number): number {
  const listening = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A`;
  const line = readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .find((each) => each.includes(listening));
  return Number.parseInt(line?.split(/\s+/)[5]?.split(':')[1] ?? '0', 16);
}

/** Elsewhere the system lets fewer wait, or does not say how many do. */
const LETS_WAIT =
  process.platform === 'linux' && Number(readFileSync('/proc/sys/net/core/somaxconn')) >= CONNECTIONS;

test.runIf(LETS_WAIT)(
  'hundreds of connections wait while the cloud is busy, and all of them are accepted afterwards',
  async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    const port = Number(new URL(await listen(app, { host: '127.0.0.1', port: 0 })).port);
    const sockets = Array.from({ length: CONNECTIONS }, () => connect({ host: '127.0.0.1', port }));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    const connected = sockets.map((socket) => once(socket, 'connect'));
    let waiting = 0;
    process.nextTick(() => {
      // Their connections have begun. The event loop, which would accept them, does nothing else until all of them wait.
      for (const untilMs = Date.now() + MAX_WAIT_MS; waiting < CONNECTIONS && Date.now() < untilMs;) {
        waiting = countWaiting(port);
      }
    });
    await Promise.all(connected);
    expect(waiting).toBe(CONNECTIONS);
  },
);

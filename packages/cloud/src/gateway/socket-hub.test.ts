import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { DEFAULT_DISPLAY, PROTOCOL_VERSION, SOCKET_CLOSE } from '@placard/protocol';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { NO_EDIT_TRACING } from '../domain/edit-tracing.ts';
import { NO_MEASUREMENTS } from '../domain/measurements.ts';
import { toDisplayColumns } from '../database/devices.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { openPlayerSocket } from '../../test/support/player-socket.ts';
import { createSocketHub } from './socket-hub.ts';
import type { SocketHubDeps } from './socket-hub.ts';

const clock = createManualClock(1);

const unsetColumns = {
  store_id: null,
  menu_pin_hash: null,
  hardware: '{}',
};

/** A hub for the only device, whose writes wait until the gate is opened. */
async function startHub(options: Pick<SocketHubDeps, 'hasOtherNodes' | 'pingIntervalMs'>) {
  const database = await openTestDatabase({ clock, hash: (text) => text.slice(0, 32) });
  await database.organization.create('O', 1);
  await database.manifestBuilder();
  await database.devices.insert(
    {
      ...unsetColumns,
      ...toDisplayColumns(DEFAULT_DISPLAY),
      id: 'dev_1',
      name: 'D',
      type: 'pc',
      platform: 'linux',
      serial: 'S',
      orientation: 'landscape',
      status: 'online',
      told_status: 'online',
      player_version: '0',
      created_at: 1,
      updated_at: 1,
    },
    [],
  );
  const writeGate = Promise.withResolvers<void>();
  let written = 0;
  const hub = createSocketHub({
    database: {
      ...database,
      async transaction(run) {
        await writeGate.promise;
        const result = await database.transaction(run);
        written += 1;
        return result;
      },
    },
    heartbeats: { receive: () => Promise.reject(new Error('no heartbeats here')) },
    clock,
    authenticator: { authenticateUpgrade: async () => 'dev_1' },
    connections: { markAuthenticated: () => {} },
    log: pino({ level: 'silent' }),
    publicUrl: () => 'https://signage.example.com',
    measurements: NO_MEASUREMENTS,
    tracing: NO_EDIT_TRACING,
    live: { answer: async () => true, sent: async () => {} },
    isAlone: () => !options.hasOtherNodes,
    ...options,
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => void hub.handleUpgrade(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  onTestFinished(async () => {
    writeGate.resolve();
    await hub.close();
    server.close();
  });
  return {
    hub,
    server,
    connect: () => openPlayerSocket(`http://127.0.0.1:${port}`, 'any'),
    openWriteGate: () => writeGate.resolve(),
    written: () => written,
  };
}

/** Of 8 kB. */
const MESSAGES = 80;

test('the socket of a device is paused while its messages wait for the database; none is lost', async () => {
  // Long enough for the answer of a client on a busy machine.
  const { server, connect, openWriteGate, written } = await startHub({
    hasOtherNodes: false,
    pingIntervalMs: 500,
  });
  const connected = once(server, 'connection');
  const client = await connect();
  await client.next();
  const [serverSocket]: Socket[] = await connected;

  const hello = { type: 'hello', protocol: PROTOCOL_VERSION, more: 'x'.repeat(7900) };
  for (let number = 0; number < MESSAGES; number++) {
    // Each is written, because it has another version.
    client.send({ ...hello, player_version: `1.${number}` });
  }
  await eventually(() => expect(serverSocket?.isPaused()).toBe(true));
  // Only what was buffered when reading paused, not the 600 kB that were sent.
  expect(serverSocket?.bytesRead).toBeLessThan(300_000);
  // A paused socket cannot answer pings, and must not be dropped for that.
  for (let pings = 0; pings < 3; pings++) {
    await once(client.socket, 'ping');
  }
  openWriteGate();
  await eventually(() => expect(written()).toBe(MESSAGES));
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  client.close();
});

test('a socket that was not published yet is newer than one on another node, and stays open', async () => {
  const { hub, connect, openWriteGate, written } = await startHub({ hasOtherNodes: true });
  const openedElsewhere = () => hub.handleEvent({ type: 'sockets_opened', deviceIds: ['dev_1'] });
  const client = await connect();
  await client.next();
  openedElsewhere();
  client.send({ type: 'hello', protocol: PROTOCOL_VERSION, player_version: '0' });
  openWriteGate();
  await eventually(() => expect(written()).toBe(1));
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  await eventually(() => {
    // Once this node has published the socket.
    openedElsewhere();
    expect(client.socket.readyState).not.toBe(client.socket.OPEN);
  });
  expect(await client.closed).toMatchObject({ code: SOCKET_CLOSE.replaced });
  expect([...hub.disconnected()]).toEqual([]);
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { DEFAULT_DISPLAY, PROTOCOL_VERSION } from '@placard/protocol';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { toDisplayColumns } from '../database/devices.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { openPlayerSocket } from '../../test/support/player-socket.ts';
import { createSocketHub } from './socket-hub.ts';

const clock = createManualClock(1);

const unsetColumns = {
  store_id: null,
  menu_pin_hash: null,
  hardware: '{}',
};

test('the socket of a device is paused while its messages wait for the database; none is lost', async () => {
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
        written += 1;
        return database.transaction(run);
      },
    },
    heartbeats: { receive: () => Promise.reject(new Error('no heartbeats here')) },
    clock,
    authenticator: { authenticateUpgrade: async () => 'dev_1' },
    connections: { markAuthenticated: () => {} },
    log: pino({ level: 'silent' }),
    // Long enough for the answer of a client on a busy machine.
    pingIntervalMs: 500,
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => void hub.handleUpgrade(request, socket, head));
  const connected = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const client = await openPlayerSocket(`http://127.0.0.1:${port}`, 'any');
  onTestFinished(async () => {
    writeGate.resolve();
    await hub.close();
    server.close();
  });
  await client.next();
  const [serverSocket]: Socket[] = await connected;

  const hello = { type: 'hello', protocol: PROTOCOL_VERSION, more: 'x'.repeat(7900) };
  for (let number = 0; number < 250; number++) {
    // Each is written, because it has another version.
    client.send({ ...hello, player_version: `1.${number}` });
  }
  await eventually(() => expect(serverSocket?.isPaused()).toBe(true));
  // Only what was buffered when reading paused, not the two megabytes that were sent.
  expect(serverSocket?.bytesRead).toBeLessThan(300_000);
  // A paused socket cannot answer pings, and must not be dropped for that.
  for (let pings = 0; pings < 3; pings++) {
    await once(client.socket, 'ping');
  }
  writeGate.resolve();
  await eventually(() => expect(written).toBe(250));
  expect(client.socket.readyState).toBe(client.socket.OPEN);
  client.close();
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { DEFAULT_DISPLAY } from '@placard/protocol';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { openTestStore } from '../../test/support/open-store.ts';
import { openSocket } from '../../test/support/socket.ts';
import { createSocketHub } from './socket-hub.ts';

const nothing = {
  store_id: null,
  menu_pin_hash: null,
  hardware: '{}',
  last_heartbeat: null,
  last_seen: null,
  clock_offset_ms: null,
  applied_manifest_revision: null,
  current: null,
  storage: null,
  frames: null,
  tz_version: null,
  faults: null,
  latest_sample: null,
};

test('a device is not read from while its messages wait to be written down; all of them are', async () => {
  const store = await openTestStore(1);
  await store.devices.insert(
    {
      ...nothing,
      ...DEFAULT_DISPLAY,
      id: 'dev_1',
      name: 'D',
      type: 'pc',
      platform: 'linux',
      serial: 'S',
      orientation: 'landscape',
      status: 'online',
      told_status: 'online',
      player_version: '0',
      manifest_revision: '',
      created_at: 1,
      updated_at: 1,
    },
    [],
  );
  const disk = Promise.withResolvers<void>();
  let written = 0;
  const hub = createSocketHub({
    store: {
      ...store,
      async transaction(run) {
        await disk.promise;
        written += 1;
        return store.transaction(run);
      },
    },
    clock: { nowMs: () => 1, setTimer: () => () => {} },
    authenticator: { ofUpgrade: async () => 'dev_1' },
    connections: { authenticated: () => {} },
    log: pino({ level: 'silent' }),
    pingIntervalMs: 100,
  });
  const server = createServer();
  server.on('upgrade', (request, socket, head) => void hub.upgrade(request, socket, head));
  const accepted = once(server, 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const link = await openSocket(`http://127.0.0.1:${port}`, 'any');
  onTestFinished(async () => {
    disk.resolve();
    await hub.close();
    server.close();
  });
  await link.next();
  const [line]: Socket[] = await accepted;

  const result = { a: 'x'.repeat(7900) };
  for (let number = 0; number < 250; number++)
    link.send({ type: 'command_status', id: 'cmd_x', status: 'succeeded', result });
  await eventually(() => expect(line?.isPaused()).toBe(true));
  // What was under way when it stopped, and not the two megabytes that were sent.
  expect(line?.bytesRead).toBeLessThan(300_000);
  // It cannot answer a ping meanwhile, and is not dropped for that.
  for (let pings = 0; pings < 3; pings++) await once(link.socket, 'ping');
  disk.resolve();
  await eventually(() => expect(written).toBe(250));
  expect(link.socket.readyState).toBe(link.socket.OPEN);
  link.close();
});

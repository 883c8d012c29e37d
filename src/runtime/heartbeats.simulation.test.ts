import { Fault } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';
import { createFullDiskDatabase } from '../../test/support/full-disk-database.ts';

const MINUTE_MS = 60_000;

test('samples of an outage are sent once each when it is over', async () => {
  const { clock, cloud, player, database, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(5 * MINUTE_MS);
  expect(cloud.received.heartbeats.at(-1)?.state.tz_version).toBe('2026c');
  expect(player.status()).toMatchObject({ tz_version: '2026c' });
  cloud.unreachable = true;
  await clock.advance(60 * MINUTE_MS);
  expect(database.readSamples(1_000).length).toBeGreaterThan(50);
  cloud.unreachable = false;
  await clock.advance(5 * MINUTE_MS);
  const reportedTimes = cloud.received.heartbeats.flatMap(({ samples }) =>
    samples.map((one) => one.measured_at),
  );
  expect(new Set(reportedTimes).size).toBe(reportedTimes.length);
  expect(reportedTimes.length).toBeGreaterThanOrEqual(70);
  expect(database.readSamples(1_000)).toEqual([]);
});

test('each start of the player is counted, and the time until its first picture is reported', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(2 * MINUTE_MS);
  const startsOf = () => cloud.received.heartbeats.at(-1)?.state.starts;
  const first = startsOf();
  expect(first).toEqual({ count: 1, first_picture_ms: expect.any(Number) });
  await clock.advance(10 * MINUTE_MS);
  expect(startsOf()).toEqual(first);
  player.kill();
  player.start();
  await clock.advance(2 * MINUTE_MS);
  expect(startsOf()).toEqual({ count: 2, first_picture_ms: expect.any(Number) });
});

test('starts that the disk does not count are left out, and prevent nothing', async () => {
  const { database, disk } = createFullDiskDatabase('countStart');
  disk.full = true;
  const { clock, cloud, pairAndPlay } = createSimulatedPlayer({ database });
  await pairAndPlay();
  await clock.advance(2 * MINUTE_MS);
  expect(cloud.received.heartbeats.at(-1)?.state).not.toHaveProperty('starts');
});

test('without a socket, heartbeats bring manifests, commands, plays and the unpairing', async () => {
  const { clock, cloud, player, database, publish, pairAndPlay } = createSimulatedPlayer();
  cloud.socketsBlocked = true;
  await pairAndPlay();
  await clock.advance(2 * MINUTE_MS);
  expect(player.status()).toMatchObject({ connection: 'online', faults: [] });
  const expires_at = new Date(clock.wallMs() + 10 * MINUTE_MS).toISOString();
  cloud.sendCommand({ id: 'cmd_1', command: 'APP_RESTART', expires_at });
  const next = publish({ playlists: { pl: ['x', 'y'] } });
  await clock.advance(2 * MINUTE_MS);
  // A picture may be due as well.
  const messages = player.shellMessages.filter(({ type }) => type !== 'screenshot_wanted');
  expect(messages).toEqual([{ type: 'restart_wanted' }]);
  expect(cloud.received.commandStatuses).toMatchObject([
    { id: 'cmd_1', status: { status: 'acknowledged' } },
    {},
  ]);
  expect(player.status()).toMatchObject({ held_revision: next.revision });
  expect([...cloud.received.plays.values()].some((play) => play.content_id === 'asset_y')).toBe(true);
  cloud.unpair();
  await clock.advance(2 * MINUTE_MS);
  expect(database.readIdentity()).toBe(null);
  expect(player.stage.screen).toMatchObject({ kind: 'pairing' });
});

test('a disk that rejects deletions does not delay manifests, and no sample is sent in a loop', async () => {
  const { database, stored, disk } = createFullDiskDatabase('deleteSamples');
  const { clock, cloud, player, publish, pairAndPlay } = createSimulatedPlayer({ database });
  await pairAndPlay();
  cloud.socketsBlocked = true;
  cloud.unreachable = true;
  await clock.advance(2 * MINUTE_MS);
  const sample = stored.readSamples(1)[0]!;
  // More than fit into one request.
  for (let minute = 1; minute <= 600; minute++) {
    const measuredAtMs = Date.parse(sample.measured_at) - minute * MINUTE_MS;
    stored.saveSample({ ...sample, measured_at: new Date(measuredAtMs).toISOString() });
  }
  disk.full = true;
  cloud.unreachable = false;
  const next = publish({ playlists: { pl: ['x', 'y'] } });
  const before = cloud.received.heartbeats.length;
  await clock.advance(5 * MINUTE_MS);
  expect(player.status()).toMatchObject({ connection: 'online', held_revision: next.revision, faults: [] });
  expect(cloud.received.heartbeats.length - before).toBeLessThan(20);
  disk.full = false;
  await clock.advance(5 * MINUTE_MS);
  expect(stored.readSamples(1_000)).toEqual([]);
});

test('a cloud that asks for an hour without heartbeats gets none, and the samples of that hour afterwards', async () => {
  const { clock, cloud, database, pairAndPlay } = createSimulatedPlayer();
  const device = cloud.createDeviceLink.bind(cloud);
  let busy = false;
  let asked = 0;
  cloud.createDeviceLink = (token) => {
    const link = device(token);
    return {
      ...link,
      async sendHeartbeat(body, signal) {
        asked += 1;
        if (busy) {
          throw new Fault('cloud.busy', { afterMs: 60 * MINUTE_MS }, {});
        }
        return link.sendHeartbeat(body, signal);
      },
    };
  };
  await pairAndPlay();
  await clock.advance(2 * MINUTE_MS);
  // Every failed attempt to open a socket requests a heartbeat to check the cloud.
  cloud.socketsBlocked = true;
  busy = true;
  await clock.advanceUntil(() => database.readSamples(10).length > 0, 2 * MINUTE_MS);
  const before = asked;
  await clock.advance(55 * MINUTE_MS);
  expect(asked).toBe(before);
  expect(database.readSamples(1_000).length).toBeGreaterThanOrEqual(50);
  busy = false;
  await clock.advance(10 * MINUTE_MS);
  expect(database.readSamples(1_000)).toEqual([]);
  const reportedTimes = cloud.received.heartbeats.flatMap(({ samples }) =>
    samples.map((one) => one.measured_at),
  );
  expect(new Set(reportedTimes).size).toBe(reportedTimes.length);
});

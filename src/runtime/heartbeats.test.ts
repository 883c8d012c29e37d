import { Fault } from '@placard/protocol';
import { expect, test } from 'vitest';
import { house } from '../../test/support/simulated-house.ts';
import { createTightStore } from '../../test/support/tight-store.ts';

const MINUTE_MS = 60_000;

test('readings of an outage are told once, each, when it is over', async () => {
  const { clock, cloud, box, store, settle } = house();
  await settle();
  await clock.advance(5 * MINUTE_MS);
  expect(cloud.seen.heartbeats.at(-1)?.state.tz_version).toBe('2026c');
  expect(box.status()).toMatchObject({ tz_version: '2026c' });
  cloud.away = true;
  await clock.advance(60 * MINUTE_MS);
  expect(store.readSamples(1_000).length).toBeGreaterThan(50);
  cloud.away = false;
  await clock.advance(5 * MINUTE_MS);
  const told = cloud.seen.heartbeats.flatMap(({ samples }) => samples.map((one) => one.measured_at));
  expect(new Set(told).size).toBe(told.length);
  expect(told.length).toBeGreaterThanOrEqual(70);
  expect(store.readSamples(1_000)).toEqual([]);
});

test('without a socket the heartbeats carry everything: news, commands, plays and the end', async () => {
  const { clock, cloud, box, store, publish, settle } = house();
  cloud.socketsBlocked = true;
  await settle();
  await clock.advance(2 * MINUTE_MS);
  expect(box.status()).toMatchObject({ connection: 'online', faults: [] });
  const expires_at = new Date(clock.wall() + 10 * MINUTE_MS).toISOString();
  cloud.command({ id: 'cmd_1', command: 'APP_RESTART', expires_at });
  const next = publish({ playlists: { pl: ['x', 'y'] } });
  await clock.advance(2 * MINUTE_MS);
  expect(box.toShell).toEqual([{ type: 'restart_wanted' }]);
  expect(cloud.seen.statuses).toMatchObject([{ id: 'cmd_1', status: { status: 'acknowledged' } }, {}]);
  expect(box.status()).toMatchObject({ held_revision: next.revision });
  expect([...cloud.seen.plays.values()].some((play) => play.content_id === 'asset_y')).toBe(true);
  cloud.unpair();
  await clock.advance(2 * MINUTE_MS);
  expect(store.readIdentity()).toBe(null);
  expect(box.stage.screen).toMatchObject({ kind: 'pairing' });
});

test('a disk that lets nothing be deleted holds no news back, and no reading is sent in a loop', async () => {
  const { store, kept, disk } = createTightStore('deleteSamples');
  const { clock, cloud, box, publish, settle } = house({ store });
  await settle();
  cloud.socketsBlocked = true;
  cloud.away = true;
  await clock.advance(2 * MINUTE_MS);
  const sample = kept.readSamples(1)[0]!;
  // More than one request carries.
  for (let minute = 1; minute <= 600; minute++) {
    const measuredAtMs = Date.parse(sample.measured_at) - minute * MINUTE_MS;
    kept.saveSample({ ...sample, measured_at: new Date(measuredAtMs).toISOString() });
  }
  disk.full = true;
  cloud.away = false;
  const next = publish({ playlists: { pl: ['x', 'y'] } });
  const before = cloud.seen.heartbeats.length;
  await clock.advance(5 * MINUTE_MS);
  expect(box.status()).toMatchObject({ connection: 'online', held_revision: next.revision, faults: [] });
  expect(cloud.seen.heartbeats.length - before).toBeLessThan(20);
  disk.full = false;
  await clock.advance(5 * MINUTE_MS);
  expect(kept.readSamples(1_000)).toEqual([]);
});

test('a cloud that asks for an hour without heartbeats has it, and the readings of that hour afterwards', async () => {
  const { clock, cloud, store, settle } = house();
  const device = cloud.device.bind(cloud);
  let busy = false;
  let asked = 0;
  cloud.device = (token) => {
    const link = device(token);
    return {
      ...link,
      async heartbeat(body, signal) {
        asked += 1;
        if (busy) throw new Fault('cloud.busy', { afterMs: 60 * MINUTE_MS }, {});
        return link.heartbeat(body, signal);
      },
    };
  };
  await settle();
  await clock.advance(2 * MINUTE_MS);
  // Every try for a socket would like a heartbeat to find out whether the cloud is there.
  cloud.socketsBlocked = true;
  busy = true;
  await clock.advanceUntil(() => store.readSamples(10).length > 0, 2 * MINUTE_MS);
  const before = asked;
  await clock.advance(55 * MINUTE_MS);
  expect(asked).toBe(before);
  expect(store.readSamples(1_000).length).toBeGreaterThanOrEqual(50);
  busy = false;
  await clock.advance(10 * MINUTE_MS);
  expect(store.readSamples(1_000)).toEqual([]);
  const told = cloud.seen.heartbeats.flatMap(({ samples }) => samples.map((one) => one.measured_at));
  expect(new Set(told).size).toBe(told.length);
});

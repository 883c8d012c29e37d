import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { CloudApi } from '../../scripts/start/cloud-api.ts';
import { seedSamples } from '../../scripts/start/seed-samples.ts';
import { createHouse, type House } from '../support/house.ts';
import { descendants, isAlive, type Program } from '../support/program.ts';
import { until } from '../support/until.ts';

const device = z.object({
  id: z.string(),
  status: z.enum(['online', 'offline']),
  latest_heartbeat: z
    .object({
      cpu_percent: z.number().nullable(),
      memory_percent: z.number(),
      disk_percent: z.number(),
      temperature_celsius: z.number().nullable(),
      wifi_signal_dbm: z.number().nullable(),
    })
    .nullable(),
  current_playlist: z.object({ id: z.string() }).nullable(),
});

/** Two busy cores start a browser, a runtime and a cloud in their own time. */
const PATIENCE_MS = 60_000;
/** A Read key may make 100 requests a minute. */
const LOOK_AT_CLOUD_EVERY_MS = 1_000;

/** The tests of this file are one story, told in order. */
describe('a screen and its cloud', () => {
  let house: House;
  let cloud: Program;
  let player: Program;
  let reader: CloudApi;
  let deviceId: string;

  const deviceDetail = () => reader.get(device, `/v1/devices/${deviceId}`);
  /** When each play that the cloud has stored began. */
  const storedStarts = async (): Promise<string[]> => {
    const response = await fetch(`${house.url}/v1/analytics/plays.csv?device_id=${deviceId}`, {
      headers: { authorization: `Bearer ${reader.key}` },
    });
    expect(response.status).toBe(200);
    const [header = '', ...rows] = (await response.text()).trim().split(/\r?\n/);
    const column = header.split(',').indexOf('started_at');
    return rows.map((row) => row.split(',')[column] ?? '');
  };

  beforeAll(async () => {
    house = await createHouse();
    cloud = await house.startCloud();
    reader = await house.reader();
    await seedSamples(house.api, resolve('test/media'));
    player = house.startPlayer();
  });
  afterAll(() => house.close());

  test('an unpaired screen shows a code, and once it is confirmed it plays the schedule', async () => {
    const { code } = await until(
      'a pairing code',
      async () => {
        const status = await house.status();
        return status.code ? status : null;
      },
      PATIENCE_MS,
    );
    expect(code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{3}-[BCDFGHJKLMNPQRSTVWXZ]{3}$/);
    await until(
      'a picture of the pairing screen',
      async () => (await house.picture()).spread > 5,
      PATIENCE_MS,
    );

    const paired = await house.api.post(z.object({ id: z.string() }), '/v1/devices/pair', {
      code,
      name: 'House test',
      tags: ['demo'],
    });
    deviceId = paired.id;

    const status = await until(
      'the first item on screen',
      async () => {
        const now = await house.status();
        return now.now_playing ? now : null;
      },
      PATIENCE_MS,
    );
    expect(status).toMatchObject({ state: 'paired', code: null, device_id: deviceId, server: house.url });
    expect(status.playing_because).toMatchObject({ source: 'schedule' });
    await until('colour on the screen', async () => (await house.picture()).spread > 20, PATIENCE_MS);
  });

  test('the cloud sees the device online, with true readings and what is on screen', async () => {
    const seen = await until(
      'a heartbeat',
      async () => {
        const detail = await deviceDetail();
        return detail.latest_heartbeat && detail.current_playlist ? detail : null;
      },
      PATIENCE_MS,
      LOOK_AT_CLOUD_EVERY_MS,
    );
    expect(seen.status).toBe('online');
    expect(seen.latest_heartbeat?.memory_percent).toBeGreaterThan(0);
    expect(seen.latest_heartbeat?.disk_percent).toBeGreaterThan(0);
    expect(seen.current_playlist?.id).toBe((await house.status()).now_playing?.playlist_id);
  });

  test('without its cloud the screen plays on, and afterwards each play is in the cloud once', async () => {
    cloud.signal('SIGKILL');
    await cloud.ended;
    await until(
      'the player to notice',
      async () => (await house.status()).connection === 'offline',
      PATIENCE_MS,
    );
    const shown = new Set<string>();
    await until(
      'three items shown without a cloud',
      async () => {
        const { now_playing } = await house.status();
        if (now_playing) shown.add(now_playing.since);
        expect((await house.picture()).spread).toBeGreaterThan(5);
        return shown.size >= 3;
      },
      PATIENCE_MS,
    );

    cloud = await house.startCloud();
    await until(
      'the device to be online again',
      async () =>
        (await deviceDetail()).status === 'online' && (await house.status()).connection === 'online',
      PATIENCE_MS,
      LOOK_AT_CLOUD_EVERY_MS,
    );
    // What is on the screen right now has not ended, so it has not been told yet.
    const over = [...shown].slice(0, -1);
    const starts = await until(
      'the plays made meanwhile',
      async () => {
        const stored = await storedStarts();
        return over.every((since) => stored.includes(since)) ? stored : null;
      },
      PATIENCE_MS,
      LOOK_AT_CLOUD_EVERY_MS,
    );
    for (const since of over) expect(starts.filter((start) => start === since)).toHaveLength(1);
  });

  test('a killed runtime leaves the picture up and is back on the same playlist', async () => {
    const before = await house.status();
    const runtime = await house.runtimeOf(player);
    process.kill(runtime.pid, 'SIGKILL');
    await until('the runtime to be gone', () => !isAlive(runtime.pid));
    const after = await until(
      'a new runtime that says what is on screen',
      async () => {
        const successor = await house.runtimeOf(player);
        const now = await house.status();
        return successor.pid !== runtime.pid && now.now_playing ? now : null;
      },
      PATIENCE_MS,
    );
    // At a boundary of the schedule it may rightly be another one.
    const sameRule = after.playing_because?.rule_id === before.playing_because?.rule_id;
    expect(after.now_playing?.playlist_id).toBe((sameRule ? before : after).now_playing?.playlist_id);
    await until('colour on the screen', async () => (await house.picture()).spread > 20, PATIENCE_MS);
    await until(
      'the next item',
      async () => (await house.status()).now_playing?.since !== after.now_playing?.since,
      PATIENCE_MS,
    );
  });

  test('a player that nobody looks after starts itself anew on APP_RESTART', async () => {
    const before = await house.runtimeOf(player);
    const sent = await house.api.post(z.object({ id: z.string() }), `/v1/devices/${deviceId}/commands`, {
      command: 'APP_RESTART',
    });
    await until(
      'the command to be done',
      async () =>
        (await reader.get(z.object({ status: z.string() }), `/v1/commands/${sent.id}`)).status ===
        'succeeded',
      PATIENCE_MS,
      LOOK_AT_CLOUD_EVERY_MS,
    );
    expect((await house.runtimeOf(player)).pid).not.toBe(before.pid);
    expect(isAlive(player.pid)).toBe(true);
    await until('something on screen', async () => (await house.status()).now_playing, PATIENCE_MS);
  });

  test('a deleted device is wiped and shows the pairing screen', async () => {
    await house.api.remove(`/v1/devices/${deviceId}`);
    const status = await until(
      'a pairing code',
      async () => {
        const now = await house.status();
        return now.state === 'pairing' && now.code ? now : null;
      },
      PATIENCE_MS,
    );
    expect(status).toMatchObject({ device_id: null, held_revision: null, now_playing: null });
  });

  test('SIGTERM ends the player and leaves no process', async () => {
    const family = descendants(player.pid).map(({ pid }) => pid);
    expect(family.length).toBeGreaterThan(1);
    player.signal('SIGTERM');
    await until('the player to end', () => !isAlive(player.pid), PATIENCE_MS);
    expect(await player.ended).toEqual({ code: 0, signal: null });
    await until('all its processes to be gone', () => !family.some(isAlive), PATIENCE_MS);
  });
});

import fs from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import { pairDevice, buildPlay } from './support/paired-device.ts';

test('a device over its play quota is logged once a day, however often it sends', async () => {
  const written = vi.spyOn(fs, 'writeSync');
  const cloud = await startTestCloud({ playQuota: { shownPerDay: 1 }, logLevel: 'warn' });
  try {
    const screen = await pairDevice(cloud);
    for (let number = 0; number < 4; number++) {
      await screen.client.post('/v1/player/plays', {
        plays: [buildPlay(number, cloud.clock.nowMs() - 3_600_000, 1000)],
      });
    }
    const lines = written.mock.calls.map(([, text]) => text);
    expect(lines.filter((line) => line.includes('plays.quota_exceeded'))).toHaveLength(1);
  } finally {
    written.mockRestore();
    await cloud.close();
  }
});

test('the plays of a day are counted in the database once, and again after a restart', async () => {
  const cloud = await startTestCloud({ playQuota: { shownPerDay: 3 } });
  try {
    const screen = await pairDevice(cloud);
    const atMs = cloud.clock.nowMs() - 3_600_000;
    const send = async (number: number) => {
      const plays = [buildPlay(number, atMs, 1000)];
      return (await screen.client.post('/v1/player/plays', { plays })).data.accepted.length;
    };
    for (const number of [1, 2, 3]) {
      expect(await send(number)).toBe(1);
    }
    // Only this test deletes counts, so counting again would give a different result.
    await cloud.inDatabase((db) => db.deleteFrom('play_days').execute());
    expect(await send(4)).toBe(0);
    expect(await send(3), 'sent again').toBe(1);
    await cloud.restart();
    for (const number of [5, 6, 7]) {
      expect(await send(number)).toBe(1);
    }
    expect(await send(8)).toBe(0);
  } finally {
    await cloud.close();
  }
});

test('plays older than the retention period are rejected by name and not stored', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const screen = await pairDevice(cloud);
  const dayMs = 86_400_000;
  const [old, kept] = [732, 730].map((days) => buildPlay(days, cloud.clock.nowMs() - days * dayMs, 1000));
  const { data } = await screen.client.post('/v1/player/plays', { plays: [old, kept] });
  expect(data.accepted).toEqual([kept?.id]);
  expect(data.rejected).toEqual([
    {
      index: 0,
      id: old?.id,
      message: 'started_at: this play is older than the 731 days for which plays are kept',
    },
  ]);
});

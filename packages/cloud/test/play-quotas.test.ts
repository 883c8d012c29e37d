import fs from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startTestCloud } from './support/cloud.ts';
import { pairScreen, playAt } from './support/screen.ts';

test('that a device is over its quota is logged once a day, however often it sends', async () => {
  const written = vi.spyOn(fs, 'writeSync');
  const cloud = await startTestCloud({ playQuota: { shownADay: 1 }, logLevel: 'warn' });
  try {
    const screen = await pairScreen(cloud);
    for (let number = 0; number < 4; number++)
      await screen.api.post('/v1/player/plays', {
        plays: [playAt(number, cloud.clock.nowMs() - 3_600_000, 1000)],
      });
    const lines = written.mock.calls.map(([, text]) => text);
    expect(lines.filter((line) => line.includes('plays.over_quota'))).toHaveLength(1);
  } finally {
    written.mockRestore();
    await cloud.close();
  }
});

test('how many plays of a day there are is added up once, and again after a restart', async () => {
  const cloud = await startTestCloud({ playQuota: { shownADay: 3 } });
  try {
    const screen = await pairScreen(cloud);
    const atMs = cloud.clock.nowMs() - 3_600_000;
    const send = async (number: number) => {
      const plays = [playAt(number, atMs, 1000)];
      return (await screen.api.post('/v1/player/plays', { plays })).data.accepted.length;
    };
    for (const number of [1, 2, 3]) expect(await send(number)).toBe(1);
    // Nobody but this test takes counts away: whoever adds them up again sees it.
    const database = new Sqlite(join(cloud.dataDir, 'cloud.sqlite'));
    database.exec('delete from play_days');
    database.close();
    expect(await send(4)).toBe(0);
    expect(await send(3), 'sent again').toBe(1);
    await cloud.restart();
    for (const number of [5, 6, 7]) expect(await send(number)).toBe(1);
    expect(await send(8)).toBe(0);
  } finally {
    await cloud.close();
  }
});

test('plays from before what is kept are named, and not stored to be deleted again', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  const screen = await pairScreen(cloud);
  const dayMs = 86_400_000;
  const [old, kept] = [732, 730].map((days) => playAt(days, cloud.clock.nowMs() - days * dayMs, 1000));
  const { data } = await screen.api.post('/v1/player/plays', { plays: [old, kept] });
  expect(data.accepted).toEqual([kept?.id]);
  expect(data.rejected).toEqual([
    { index: 0, id: old?.id, message: 'started_at: plays are kept for 731 days, and this one is older' },
  ]);
});

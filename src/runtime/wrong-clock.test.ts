import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, vi, type TestContext } from 'vitest';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { givePlaylist } from '../../test/support/manifests.ts';
import { createShellDouble } from '../../test/support/shell-double.ts';
import { until } from '../../test/support/until.ts';

// Real processes on a machine that has other things to do.
vi.setConfig({ testTimeout: 300_000 });

const HOUR_MS = 3_600_000;
/** How far a date may be off that is right; wrong ones are off by an hour or by years. */
const NEAR_MS = 10 * 60_000;
const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, '../../test/support/shifted-clock.ts')).href;

const DAY_MS = 24 * HOUR_MS;

/** A player that was paired so long ago, as a real process whose wall clock a test can set. */
async function pairedBox({ onTestFinished }: TestContext, agoMs = 0) {
  let cloudOffMs = -agoMs;
  const cloud = await startFakeCloud({ now: () => Date.now() + cloudOffMs });
  givePlaylist(cloud, ['a', 'b']);
  const dir = mkdtempSync(join(tmpdir(), 'placard-'));
  const clockFile = join(dir, 'clock');
  const setClock = (offMs: number) => writeFileSync(clockFile, String(offMs));
  setClock(-agoMs);
  const shell = createShellDouble({
    server: cloud.url,
    dataDir: join(dir, 'player'),
    env: { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, SHIFTED_CLOCK: clockFile },
  });
  onTestFinished(async () => {
    await shell.end();
    await cloud.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const { shown } = shell.stage;
  const pictures = (count: number) => {
    const before = shown.length;
    return until(`${count} pictures`, () => shown.length >= before + count);
  };
  await shell.start();
  cloud.confirm();
  await pictures(2);
  const told = () => new Map(cloud.seen.plays.map((play) => [play.id, play]));
  return {
    cloud,
    shell,
    setClock,
    pictures,
    today: () => void (cloudOffMs = 0),
    /** Waits until all that was shown so far is told, and names what was told with a wrong date. */
    misdated: async (since = 0) => {
      const due = shown.slice(since, -1).map((one) => one.id);
      await until('every play', () => due.every((id) => told().has(id)), 120_000);
      return shown.slice(since).filter(({ id, atMs }) => {
        const play = told().get(id);
        const off = (at: string) => Math.abs(Date.parse(at) - atMs);
        return play && (off(play.started_at) > NEAR_MS || off(play.ended_at) > NEAR_MS);
      });
    },
  };
}

test.concurrent(
  'a box whose clock stands in 2013 at its boot dates everything right once the cloud has told the time',
  async (context) => {
    const { cloud, shell, setClock, today, pictures, misdated } = await pairedBox(context, DAY_MS);
    await shell.stop();
    await cloud.stop();
    const since = shell.stage.shown.length;
    shell.stage.reload();
    today();
    setClock(Date.UTC(2013, 0, 1) - Date.now());
    await shell.start();
    await pictures(3);
    // It dies and comes back, still in 2013.
    await shell.kill();
    await shell.start();
    await pictures(2);
    const beats = cloud.seen.heartbeats.length;
    await cloud.start();
    expect(await misdated(since)).toEqual([]);
    setClock(0);
    await pictures(2);
    expect(await misdated(since)).toEqual([]);
    const told = cloud.seen.heartbeats.slice(beats).flatMap((beat) => beat.samples);
    const [now, dayBefore] = [Date.now(), Date.now() - DAY_MS];
    // A reading keeps the time at which it was taken; the last good one is the least that it can be.
    expect(told.filter((one) => Date.parse(one.measured_at) < dayBefore - NEAR_MS)).toEqual([]);
    expect(told.filter((one) => Date.parse(one.measured_at) > now + NEAR_MS)).toEqual([]);
  },
);

test.concurrent('a clock that jumps an hour and back costs a box with a cloud nothing', async (context) => {
  const { setClock, pictures, misdated } = await pairedBox(context);
  for (const offMs of [HOUR_MS, -HOUR_MS, 0]) {
    setClock(offMs);
    await pictures(3);
  }
  expect(await misdated()).toEqual([]);
});

test.concurrent(
  'a clock that jumps an hour and back without a cloud is put right when it is there',
  async (context) => {
    const { cloud, shell, setClock, pictures, misdated } = await pairedBox(context);
    await shell.stop();
    await cloud.stop();
    shell.stage.reload();
    await shell.start();
    await pictures(2);
    for (const offMs of [HOUR_MS, 0]) {
      setClock(offMs);
      await pictures(2);
    }
    await cloud.start();
    expect(await misdated()).toEqual([]);
  },
);

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import type { TestContext } from 'vitest';
import { tempDir } from '../../test/support/temp-dir.ts';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { publishPlaylist } from '../../test/support/manifests.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

// Generous timeouts: real processes on a busy machine.
vi.setConfig({ testTimeout: 300_000 });

const HOUR_MS = 3_600_000;
/** Tolerance for correct dates; wrong ones are off by an hour or by years. */
const DATE_TOLERANCE_MS = 10 * 60_000;
const SHIFTED_CLOCK = pathToFileURL(join(import.meta.dirname, '../../test/support/shifted-clock.ts')).href;

const DAY_MS = 24 * HOUR_MS;

/** A player in a real process, paired `agoMs` ago, whose wall clock the test can set. */
async function createPairedPlayer({ onTestFinished }: TestContext, agoMs = 0) {
  let cloudOffMs = -agoMs;
  const cloud = await startFakeCloud({ nowMs: () => Date.now() + cloudOffMs });
  publishPlaylist(cloud, ['a', 'b']);
  const dir = tempDir(onTestFinished);
  const clockFile = join(dir, 'clock');
  const setClock = (offMs: number) => writeFileSync(clockFile, String(offMs));
  setClock(-agoMs);
  const shell = createFakeShell({
    server: cloud.url,
    dataDir: join(dir, 'player'),
    env: { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, SHIFTED_CLOCK: clockFile },
  });
  onTestFinished(async () => {
    await shell.dispose();
    await cloud.stop();
  });
  const { shown } = shell.stage;
  const pictures = (count: number) => {
    const before = shown.length;
    return waitUntil(`${count} pictures`, () => shown.length >= before + count);
  };
  await shell.start();
  cloud.confirmPairing();
  await pictures(2);
  const reportedPlays = () => new Map(cloud.received.plays.map((play) => [play.id, play]));
  return {
    cloud,
    shell,
    setClock,
    pictures,
    today: () => void (cloudOffMs = 0),
    /** Waits until all showings so far are reported, and returns those reported with a wrong date. */
    misdated: async (since = 0) => {
      const due = shown.slice(since, -1).map((one) => one.id);
      await waitUntil('every play', () => due.every((id) => reportedPlays().has(id)), 120_000);
      return shown.slice(since).filter(({ id, atMs }) => {
        const play = reportedPlays().get(id);
        const off = (at: string) => Math.abs(Date.parse(at) - atMs);
        return play && (off(play.started_at) > DATE_TOLERANCE_MS || off(play.ended_at) > DATE_TOLERANCE_MS);
      });
    },
  };
}

test.concurrent(
  'a device that boots in 2013 corrects all dates once the cloud has sent the time',
  async (context) => {
    const { cloud, shell, setClock, today, pictures, misdated } = await createPairedPlayer(context, DAY_MS);
    await shell.stop();
    await cloud.stop();
    const since = shell.stage.shown.length;
    shell.stage.reload();
    today();
    setClock(Date.UTC(2013, 0, 1) - Date.now());
    await shell.start();
    await pictures(3);
    // The process is killed and restarted, still in 2013.
    await shell.kill();
    await shell.start();
    await pictures(2);
    const beats = cloud.received.heartbeats.length;
    await cloud.start();
    expect(await misdated(since)).toEqual([]);
    setClock(0);
    await pictures(2);
    expect(await misdated(since)).toEqual([]);
    const samples = cloud.received.heartbeats.slice(beats).flatMap((beat) => beat.samples);
    const [now, dayBefore] = [Date.now(), Date.now() - DAY_MS];
    // A sample keeps its measured time; the last good time is its lower bound.
    expect(samples.filter((one) => Date.parse(one.measured_at) < dayBefore - DATE_TOLERANCE_MS)).toEqual([]);
    expect(samples.filter((one) => Date.parse(one.measured_at) > now + DATE_TOLERANCE_MS)).toEqual([]);
  },
);

test.concurrent('a clock that jumps an hour and back while online misdates no play', async (context) => {
  const { setClock, pictures, misdated } = await createPairedPlayer(context);
  for (const offMs of [HOUR_MS, -HOUR_MS, 0]) {
    setClock(offMs);
    await pictures(3);
  }
  expect(await misdated()).toEqual([]);
});

test.concurrent(
  'a clock that jumps an hour and back while offline is corrected when the cloud is reachable',
  async (context) => {
    const { cloud, shell, setClock, pictures, misdated } = await createPairedPlayer(context);
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

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../../test/support/wait-until.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import type { BlobStore } from '../blob/blob-store.ts';
import type { DiskState } from '../domain/disk-state.ts';
import type { MediaInfo } from '../media/inspection-messages.ts';
import type { FailedRendition, MadeRendition, RenditionWork } from '../media/rendition-maker.ts';
import { createRenditionWorker } from './make-renditions.ts';

const MINUTE_MS = 60_000;
const UNREADABLE = 'a'.repeat(64);
const GOOD = 'b'.repeat(64);
/** Of a file that no asset has any more. */
const GONE = 'c'.repeat(64);

/** A worker with two wanted renditions; the first of a file that the media store cannot provide. */
async function setUp(
  make: (signal: AbortSignal, onPart?: () => void) => Promise<MadeRendition | FailedRendition | null>,
) {
  const clock = createManualClock(1000);
  const database = await openTestDatabase({ clock });
  let diskState: DiskState = 'ok';
  let isLeader = true;
  await database.transaction(async (tx) => {
    await tx.organization.create('Shop', 0);
    await tx.organization.update({ renditions: 'on_demand' }, 0);
    for (const [index, sha256] of [UNREADABLE, GOOD].entries()) {
      const id = `asset_${index}`;
      const media = {
        type: 'video' as const,
        format: 'mp4' as const,
        width: 16,
        height: 16,
        size: 1,
        duration: 1,
      };
      await tx.assets.insert(
        {
          id,
          name: id,
          ...media,
          codec: 'hvc1.1.6.L123',
          frame_rate: 30,
          sha256,
          thumbnail: null,
          thumbnail_fault: null,
          folder_id: null,
          created_at: index,
          updated_at: index,
        },
        [],
      );
      await tx.renditions.want({ content_id: id, kind: 'h264_1080p30', source_sha256: sha256 }, index);
    }
  });
  const unfinished: RenditionWork[] = [UNREADABLE, GOOD, GONE].map((sha256) => ({
    kind: 'h264_1080p30',
    sha256,
  }));
  const forgotten: string[] = [];
  const used: string[] = [];
  const blobs: Pick<BlobStore, 'withFile' | 'stage'> = {
    async withFile(sha256, use) {
      used.push(sha256);
      if (sha256 === UNREADABLE) {
        throw new Error('the media store has failed');
      }
      return use('/nowhere');
    },
    stage: (file) => ({ ...file, save: async () => {}, release: async () => {} }),
  };
  const logged: string[] = [];
  const worker = createRenditionWorker({
    database,
    blobs,
    clock,
    disk: {
      status: () => ({ state: diskState }),
    },
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line).msg) }),
    maker: {
      make: (_task, signal, onPart) => make(signal, onPart),
      listUnfinished: async () => unfinished,
      forget: async ({ sha256 }) => void forgotten.push(sha256),
    },
    isLeader: () => isLeader,
  });
  const [making, forgetting] = worker.jobs;
  const run = () => making.run().catch(() => {});
  const rowOf = async (index: number) => (await database.renditions.list(`asset_${index}`))[0];
  return {
    clock,
    database,
    used,
    logged,
    run,
    /** Which files have lost their parts. */
    forget: async () => {
      await forgetting.run();
      return forgotten.splice(0);
    },
    rowOf,
    close: worker.close,
    setDisk: (state: DiskState) => void (diskState = state),
    setLeader: (leads: boolean) => void (isLeader = leads),
  };
}

const undecodable = async () => ({ reason: 'undecodable', message: 'It is damaged.' });

test('a file that the media store cannot provide waits, lets others have their turn, and ends after five attempts', async () => {
  const { clock, used, run, rowOf } = await setUp(undecodable);
  await run();
  await run();
  expect(used).toEqual([UNREADABLE, GOOD]);
  expect(await rowOf(0)).toMatchObject({ state: 'wanted', attempts: 1 });
  expect(await rowOf(1)).toMatchObject({ state: 'failed', failure: 'undecodable' });
  for (let times = 0; times < 10; times++) {
    clock.advance(6 * MINUTE_MS);
    await run();
  }
  expect(used.filter((sha256) => sha256 === UNREADABLE)).toHaveLength(5);
  expect(await rowOf(0)).toMatchObject({ state: 'failed', failure: 'interrupted' });
});

test.each([
  ['is still wanted', 'ready', ['rendition.made']],
  ['was deleted meanwhile', undefined, []],
])('a copy of a file that %s at the end', async (what, state, logged) => {
  const folder = await mkdtemp(join(tmpdir(), 'placard-renditions-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'copy');
  await writeFile(path, 'bytes');
  const info: MediaInfo = {
    type: 'video',
    format: 'mp4',
    width: 16,
    height: 16,
    codec: 'avc1.42c01f',
    frameRate: 30,
    durationSeconds: 1,
  };
  const setup = await setUp(async () => {
    if (what !== 'is still wanted') {
      await setup.database.transaction(async (tx) => {
        await tx.assets.delete('asset_1');
        await tx.renditions.deleteOutdated();
      });
    }
    return { path, info, release: async () => {} };
  });
  await setup.run();
  await setup.run();
  expect((await setup.rowOf(1))?.state).toBe(state);
  expect(setup.logged).toEqual(logged);
});

test('a full disk is no failure of the file: it is tried again later, a limited number of times', async () => {
  const setup = await setUp(async () => {
    setup.setDisk('low');
    return { reason: 'not_written', message: 'ENOSPC' };
  });
  const { clock, run, rowOf, setDisk } = setup;
  await run();
  await run();
  expect(await rowOf(1)).toMatchObject({ state: 'wanted', attempts: 1 });
  await run();
  expect(await rowOf(1), 'the disk is low').toMatchObject({ attempts: 1 });
  for (let times = 0; times < 10; times++) {
    setDisk('ok');
    clock.advance(6 * MINUTE_MS);
    await run();
    await run();
  }
  expect(await rowOf(1)).toMatchObject({ state: 'failed', failure: 'interrupted' });
});

test('a process that ended after a part is no failure of the file: another one goes on after five minutes', async () => {
  const { clock, run, rowOf, used } = await setUp(async () => ({
    reason: 'unfinished',
    message: 'It crashed.',
  }));
  await run();
  await run();
  await run();
  expect(await rowOf(1)).toMatchObject({ state: 'wanted', attempts: 1 });
  clock.advance(6 * MINUTE_MS);
  await run();
  await run();
  expect(await rowOf(1)).toMatchObject({ state: 'wanted', attempts: 2 });
  expect(used.filter((sha256) => sha256 === GOOD)).toHaveLength(2);
});

test('a stop that somebody wants does not count as an attempt', async () => {
  const setup = await setUp(async () => {
    setup.setLeader(false);
    return { reason: 'not_written', message: 'The process was ended.' };
  });
  const { run, rowOf, setLeader } = setup;
  await run();
  await run();
  expect(await rowOf(1)).toMatchObject({ state: 'wanted', attempts: 0, leased_until: null });
  setLeader(true);
  await run();
  expect(await rowOf(1)).toMatchObject({ state: 'wanted', attempts: 0 });
});

test.each(['a disk', 'a stop'])(
  'kills do not count once a part is finished, also after %s, unless it is a disk',
  async (what) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const setup = await setUp(async (signal, onPart) => {
      onPart?.();
      begin();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
    });
    const { clock, database, run, rowOf, setDisk, setLeader } = setup;
    await run();
    // Claimed four times by nodes that were killed.
    for (let times = 0; times < 4; times++) {
      await database.transaction((tx) => tx.renditions.claim(['h264_1080p30'], clock.nowMs(), clock.nowMs()));
      clock.advance(1);
    }
    const running = run();
    await begun;
    expect(await rowOf(1)).toMatchObject({ state: 'making', attempts: 5 });
    await waitUntil('the renewal', async () => {
      clock.advance(16_000);
      return (await rowOf(1))?.attempts === 1;
    });
    if (what === 'a disk') {
      setDisk('low');
    } else {
      setLeader(false);
    }
    await waitUntil('the end of the work', async () => {
      clock.advance(16_000);
      return (await rowOf(1))?.state === 'wanted';
    });
    await running;
    expect((await rowOf(1))?.attempts).toBe(what === 'a disk' ? 5 : 0);
  },
);

test('parts stay while somebody waits for the rendition and there is disk space', async () => {
  const { database, forget, run, rowOf, setDisk } = await setUp(undecodable);
  expect(await forget()).toEqual([GONE]);
  await run();
  await run();
  expect(await rowOf(1)).toMatchObject({ state: 'failed' });
  expect(await forget()).toEqual([GOOD, GONE]);
  setDisk('low');
  expect(await forget()).toEqual([UNREADABLE, GOOD, GONE]);
  setDisk('ok');
  await database.transaction((tx) => tx.organization.update({ renditions: 'off' }, 0));
  expect(await forget()).toEqual([UNREADABLE, GOOD, GONE]);
});

test.each(['loses the leadership', 'runs out of disk space'])(
  'a node that %s after it has renewed its claim leaves the rendition to others at once',
  async (what) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const setup = await setUp(async (signal) => {
      begin();
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null)));
    });
    const { clock, run, rowOf, setLeader, setDisk } = setup;
    await run();
    const running = run();
    await begun;
    const leasedUntil = (await rowOf(1))?.leased_until ?? 0;
    clock.advance(16_000);
    await waitUntil('the renewal', async () => ((await rowOf(1))?.leased_until ?? 0) > leasedUntil);
    if (what === 'loses the leadership') {
      setLeader(false);
    } else {
      setDisk('low');
    }
    await waitUntil('the end of the work', async () => {
      clock.advance(16_000);
      return (await rowOf(1))?.state === 'wanted';
    });
    await running;
    // A disk that the file itself may have filled counts.
    expect((await rowOf(1))?.attempts).toBe(what === 'loses the leadership' ? 0 : 1);
  },
);

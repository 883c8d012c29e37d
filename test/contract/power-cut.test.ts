import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { acquireDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import { openPlayerDatabase } from '../../src/adapters/sqlite/player-database.ts';
import { canTraceSyscalls, countSyncs, recordDiskEvents } from '../support/disk-recording.ts';
import type { DiskEvent } from '../support/disk-recording.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { createMemoryCloud } from '../support/memory-cloud.ts';
import { createPlayerHarness } from '../support/player-harness.ts';
import { compareWithRecording, countLossyCuts, hashOfFile, replayPowerCuts } from '../support/power-cuts.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { tempDir } from '../support/temp-dir.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const ROUNDS = 30;
const ACKS_PER_ROUND = 10;
/** `npm run test:crash` sets 300. */
const CUTS = Number(process.env.PLACARD_POWER_CUTS ?? 24);
/** Most of the cuts of a program that does not sync lose something. */
const CONTROL_CUTS = Math.min(Math.ceil(CUTS / 4), 60);
const SEED = 3;
const PROGRAM = resolve(import.meta.dirname, '../support/durable-writer.ts');
/** The time at which the device is powered on again. */
const MORNING = Date.UTC(2026, 10, 21, 6);

const print = (line: string) => process.stdout.write(`${line}\n`);

/** What must be stored after a cut, because it was acknowledged before. */
interface AcknowledgedState {
  identity: boolean;
  media: string[];
  /** Number of the last revision that became the held manifest; -1 before the first. */
  revision: number;
  plays: string[];
  commands: string[];
  /** Commands whose execution had begun, and must not be repeated. */
  startedCommands: string[];
}

function acknowledgedBefore(events: readonly DiskEvent[]): AcknowledgedState {
  const acks = events.flatMap((event) => (event.kind === 'ack' ? [event.subject.split(' ')] : []));
  const of = (kind: string) => acks.flatMap(([first, what]) => (first === kind && what ? [what] : []));
  return {
    identity: acks.length > 0,
    media: of('media'),
    revision: Number(of('manifest').at(-1)?.slice(1) ?? -1),
    plays: of('play'),
    commands: of('command'),
    startedCommands: of('acting'),
  };
}

const missing = (wanted: readonly string[], found: ReadonlySet<string>, what: string) =>
  wanted.filter((one) => !found.has(one)).map((one) => `${what} ${one} is lost`);

/**
 * Starts the player on the folder as the cut left it, without a network, lets it play, and returns everything that is
 * missing or wrong.
 */
async function findProblems(dir: string, promised: AcknowledgedState): Promise<string[]> {
  const log = createRecordingLog();
  const clock = createManualClock(MORNING);
  const folder = acquireDataFolder(dir);
  const files = { file: folder.databaseFile, identityFile: folder.identityFile };
  const database = openPlayerDatabase({ ...files, server: 'http://cloud.test', nowMs: 0, log });
  const dispatcher = new Agent();
  const media = await openMediaCache({
    dir: folder.mediaDir,
    index: database,
    dispatcher,
    ssrfGuard: { check: async () => {} },
    maxCacheBytes: null,
    minFreeBytes: 0,
    maxBytesPerSecond: null,
    log,
  });
  const problems: string[] = [];
  if (database.damagedCopyPath) {
    problems.push('the database is damaged');
  }
  if (promised.identity && database.readIdentity()?.deviceToken !== 'secret') {
    problems.push('the identity is lost');
  }
  const revision = Number(database.readManifests().held?.revision.slice(1) ?? -1);
  if (revision < promised.revision) {
    problems.push(`manifest r${promised.revision} is lost`);
  }
  const again = new Set(
    database
      .readCommands()
      .filter((entry) => entry.stage === 'received')
      .map((entry) => entry.id),
  );
  for (const id of promised.startedCommands) {
    if (again.has(id)) {
      problems.push(`command ${id} would be done twice`);
    }
  }
  problems.push(...missing(promised.media, media.cachedHashes(), 'media'));
  // Checked before the player runs, because it deletes what it finds to be wrong.
  const held = [...media.cachedHashes()];
  const intactHashes = new Set(held.filter((sha256) => hashOfFile(join(folder.mediaDir, sha256)) === sha256));
  for (const sha256 of held) {
    if (!intactHashes.has(sha256)) {
      problems.push(`media ${sha256} has wrong bytes`);
    }
  }

  const cloud = createMemoryCloud({ clock });
  cloud.unreachable = true;
  const player = createPlayerHarness({ clock, database, media, cloud });
  player.start();
  await clock.advance(35_000);
  if (promised.revision >= 0 && player.stage.shown.length < 3) {
    problems.push('it does not play');
  }
  for (const { url } of player.stage.shown) {
    if (!intactHashes.has(url.slice('/media/'.length))) {
      problems.push(`${url} was shown with wrong bytes`);
    }
  }
  for (const { event } of player.log.events) {
    if (event === 'service.failed') {
      problems.push('a service failed');
    }
  }
  if (player.machine.reboots > 1) {
    problems.push('it reboots again and again');
  }
  await Promise.all([player.stop(), clock.advance(10_000)]);
  // Open plays are closed by now, and count like the others.
  const plays = new Set(database.readPendingPlays(10_000).map((play) => play.id));
  const commands = new Set(database.readCommands().map((entry) => entry.id));
  problems.push(
    ...missing(promised.plays, plays, 'play'),
    ...missing(promised.commands, commands, 'command'),
  );
  await dispatcher.destroy();
  database.close();
  folder.release();
  return problems;
}

/** Cuts the power at random moments; returns the problems found at each. */
const cutPower = (events: readonly DiskEvent[], cuts: number): Promise<string[][]> =>
  replayPowerCuts(events, {
    cuts,
    seed: SEED,
    dir: join(tempDir(), 'player'),
    findProblems: (dir, before) => findProblems(dir, acknowledgedBefore(before)),
  });

function record(synchronous: 'FULL' | 'NORMAL'): { events: DiskEvent[]; data: string } {
  const dir = tempDir(afterAll);
  const [data, trace] = [join(dir, 'data'), join(dir, 'trace')];
  mkdirSync(data);
  mkdirSync(trace);
  return { events: recordDiskEvents([PROGRAM, data, String(ROUNDS), synchronous], data, trace), data };
}

describe.skipIf(!canTraceSyscalls())('power cuts', () => {
  let recording: ReturnType<typeof record>;
  beforeAll(() => {
    recording = record('FULL');
  });

  test('a recording reproduces the contents of the disk', () => {
    const { events, data } = recording;
    expect(events.filter((event) => event.kind === 'ack')).toHaveLength(1 + ROUNDS * ACKS_PER_ROUND);
    const { files, different } = compareWithRecording(events, data);
    expect(files.length).toBeGreaterThan(ROUNDS);
    expect(different).toEqual([]);
    // The WAL was checkpointed at the restart, and once more automatically.
    expect(countSyncs(events, 'player.sqlite')).toBeGreaterThan(2);
  });

  test(`at ${CUTS} moments: the player starts, plays, has lost nothing and shows nothing wrong`, async () => {
    const found = await cutPower(recording.events, CUTS);
    print(`power cuts: ${CUTS}, with a loss: ${countLossyCuts(found)}`);
    expect(found.flat()).toEqual([]);
  });

  test('a database with synchronous=NORMAL is found to lose acknowledged data', async () => {
    const { events } = record('NORMAL');
    const found = await cutPower(events, CONTROL_CUTS);
    print(`power cuts with synchronous=NORMAL: ${CONTROL_CUTS}, with a loss: ${countLossyCuts(found)}`);
    expect(found.flat().some((one) => /play|command|manifest/.test(one) && one.endsWith('is lost'))).toBe(
      true,
    );
  });

  test('media that are not synced before they are renamed are found to be damaged', async () => {
    const lax = recording.events.filter(
      (event) => !(event.kind === 'sync' && event.path.startsWith('media/')),
    );
    const found = await cutPower(lax, CONTROL_CUTS);
    print(`power cuts without syncs of media: ${CONTROL_CUTS}, with a loss: ${countLossyCuts(found)}`);
    expect(found.flat().some((one) => one.endsWith('wrong bytes'))).toBe(true);
  });
});

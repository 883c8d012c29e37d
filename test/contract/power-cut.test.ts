import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Agent } from 'undici';
import { describe, expect, test, vi } from 'vitest';
import { takeDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import { createSqliteStore } from '../../src/adapters/sqlite-store/sqlite-store.ts';
import { canRecord, createRecordedDisk, recordDisk, type DiskEvent } from '../support/disk-recording.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { createMemoryCloud } from '../support/memory-cloud.ts';
import { createPlayerBox, createSeededRandom } from '../support/player-box.ts';
import { createQuietLog } from '../support/quiet-log.ts';
import { tempDir } from '../support/temp-dir.ts';

vi.setConfig({ testTimeout: 900_000 });

const ROUNDS = 30;
const ACKS_PER_ROUND = 10;
/** `npm run test:crash` sets 300. */
const CUTS = Number(process.env.PLACARD_POWER_CUTS ?? 24);
const CONTROL_CUTS = Math.min(CUTS, 60);
const SEED = 3;
const PROGRAM = resolve(import.meta.dirname, '../support/durable-writer.ts');
/** When the box is switched on again. */
const MORNING = Date.UTC(2026, 10, 21, 6);

const say = (line: string) => process.stdout.write(`${line}\n`);

/** What must be there after a cut, by all that was acknowledged before it. */
interface Promised {
  identity: boolean;
  media: string[];
  /** Number of the last revision that took over; -1 before the first. */
  revision: number;
  plays: string[];
  commands: string[];
  /** Commands that had begun to act, and must not do so again. */
  begun: string[];
}

function promisedBy(events: readonly DiskEvent[]): Promised {
  const acks = events.flatMap((event) => (event.kind === 'ack' ? [event.what.split(' ')] : []));
  const of = (kind: string) => acks.flatMap(([first, what]) => (first === kind && what ? [what] : []));
  return {
    identity: acks.length > 0,
    media: of('media'),
    revision: Number(of('manifest').at(-1)?.slice(1) ?? -1),
    plays: of('play'),
    commands: of('command'),
    begun: of('acting'),
  };
}

const hashOfFile = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
const missing = (wanted: readonly string[], found: ReadonlySet<string>, what: string) =>
  wanted.filter((one) => !found.has(one)).map((one) => `${what} ${one} is lost`);

/**
 * Switches the player on, on the folder as the cut left it and without a network, lets it play, and names everything
 * that is missing or wrong.
 */
async function whatIsWrong(dir: string, promised: Promised): Promise<string[]> {
  const log = createQuietLog();
  const clock = createManualClock(MORNING);
  const folder = takeDataFolder(dir);
  const files = { file: folder.database, identityFile: folder.identity };
  const store = createSqliteStore({ ...files, server: 'http://cloud.test', nowMs: 0, log });
  const dispatcher = new Agent();
  const media = await openMediaCache({
    dir: folder.media,
    index: store,
    dispatcher,
    gate: { check: async () => {} },
    maxCacheBytes: null,
    minFreeBytes: 0,
    maxBytesPerSecond: null,
    log,
  });
  const wrong: string[] = [];
  if (store.setAside) wrong.push('the database is damaged');
  if (promised.identity && store.readIdentity()?.deviceToken !== 'secret') wrong.push('the identity is lost');
  const revision = Number(store.readManifests().held?.revision.slice(1) ?? -1);
  if (revision < promised.revision) wrong.push(`manifest r${promised.revision} is lost`);
  const again = new Set(
    store
      .readCommands()
      .filter((entry) => entry.stage === 'received')
      .map((entry) => entry.id),
  );
  for (const id of promised.begun) if (again.has(id)) wrong.push(`command ${id} would be done twice`);
  wrong.push(...missing(promised.media, media.held(), 'media'));
  // Looked at before the player does: what it finds to be wrong, it throws away.
  const held = [...media.held()];
  const sound = new Set(held.filter((sha256) => hashOfFile(join(folder.media, sha256)) === sha256));
  for (const sha256 of held) if (!sound.has(sha256)) wrong.push(`media ${sha256} has wrong bytes`);

  const cloud = createMemoryCloud({ clock });
  cloud.away = true;
  const box = createPlayerBox({ clock, store, media, cloud });
  box.start();
  await clock.advance(35_000);
  if (promised.revision >= 0 && box.stage.shown.length < 3) wrong.push('it does not play');
  for (const { url } of box.stage.shown) {
    if (!sound.has(url.slice('/media/'.length))) wrong.push(`${url} was shown with wrong bytes`);
  }
  for (const { event } of box.log.events) if (event === 'service.failed') wrong.push('a service failed');
  if (box.machine.reboots > 1) wrong.push('it reboots again and again');
  await Promise.all([box.stop(), clock.advance(10_000)]);
  // What was open is closed by now, and counts like the rest.
  const plays = new Set(store.pendingPlays(10_000).map((play) => play.id));
  const commands = new Set(store.readCommands().map((entry) => entry.id));
  wrong.push(...missing(promised.plays, plays, 'play'), ...missing(promised.commands, commands, 'command'));
  await dispatcher.destroy();
  store.close();
  folder.release();
  return wrong;
}

/** Cuts the power at random instants; everything that was found wrong at each. */
async function cutPower(events: readonly DiskEvent[], cuts: number): Promise<string[][]> {
  const random = createSeededRandom(SEED);
  const dir = join(tempDir(), 'player');
  const instants = Array.from({ length: cuts }, () => 1 + Math.floor(random.next() * events.length));
  const disk = createRecordedDisk();
  const found: string[][] = [];
  let fed = 0;
  for (const instant of instants.toSorted((a, b) => a - b)) {
    for (; fed < instant; fed++) disk.feed(events[fed]!);
    disk.cutInto(dir, () => random.next());
    const wrong = await whatIsWrong(dir, promisedBy(events.slice(0, instant)));
    found.push(wrong.map((one) => `after event ${instant} of ${events.length}: ${one}`));
  }
  return found;
}

function record(synchronous: 'FULL' | 'NORMAL'): { events: DiskEvent[]; data: string } {
  const dir = tempDir();
  const [data, trace] = [join(dir, 'data'), join(dir, 'trace')];
  mkdirSync(data);
  mkdirSync(trace);
  return { events: recordDisk([PROGRAM, data, String(ROUNDS), synchronous], data, trace), data };
}

const syncsOf = (events: readonly DiskEvent[], suffix: string) =>
  events.filter((event) => event.kind === 'sync' && event.path.endsWith(suffix)).length;
const lossy = (found: string[][]) => found.filter((wrong) => wrong.length > 0).length;

describe.skipIf(!canRecord())('power cuts', () => {
  test('a recording has everything that was done to the disk', () => {
    const { events, data } = record('FULL');
    expect(events.filter((event) => event.kind === 'ack')).toHaveLength(1 + ROUNDS * ACKS_PER_ROUND);
    const disk = createRecordedDisk();
    for (const event of events) disk.feed(event);
    const copy = join(tempDir(), 'copy');
    disk.cutInto(copy, () => 0);
    // Its index is shared memory, and made anew at every start.
    const files = readdirSync(data, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
      .map((entry) => join(entry.parentPath, entry.name).slice(data.length));
    expect(files.length).toBeGreaterThan(ROUNDS);
    expect(files.filter((file) => hashOfFile(join(data, file)) !== hashOfFile(join(copy, file)))).toEqual([]);
    // The log was taken over into the database at the restart, and once more by itself.
    expect(syncsOf(events, 'player.sqlite')).toBeGreaterThan(2);
  });

  test(`at ${CUTS} instants: the player starts, plays, has lost nothing and shows nothing wrong`, async () => {
    const found = await cutPower(record('FULL').events, CUTS);
    say(`power cuts: ${CUTS}, with a loss: ${lossy(found)}`);
    expect(found.flat()).toEqual([]);
  });

  test('a database with synchronous=NORMAL is seen to lose what was acknowledged', async () => {
    const { events } = record('NORMAL');
    const found = await cutPower(events, CONTROL_CUTS);
    say(`power cuts with synchronous=NORMAL: ${CONTROL_CUTS}, with a loss: ${lossy(found)}`);
    expect(found.flat().some((one) => /play|command|manifest/.test(one) && one.endsWith('is lost'))).toBe(
      true,
    );
  });

  test('media that are not synced before they are named are seen to be wrong', async () => {
    const synced = record('FULL').events;
    const lax = synced.filter((event) => !(event.kind === 'sync' && event.path.startsWith('media/')));
    const found = await cutPower(lax, CONTROL_CUTS);
    say(`power cuts without syncs of media: ${CONTROL_CUTS}, with a loss: ${lossy(found)}`);
    expect(found.flat().some((one) => one.endsWith('wrong bytes'))).toBe(true);
  });
});

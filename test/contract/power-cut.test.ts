import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Agent } from 'undici';
import { readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import { createSqliteStore } from '../../src/adapters/sqlite-store/sqlite-store.ts';
import { createRecordedDisk, recordDisk, type DiskEvent } from '../support/disk-recording.ts';
import { createSeededRandom } from '../support/player-box.ts';
import { createQuietLog } from '../support/quiet-log.ts';
import { tempDir } from '../support/temp-dir.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const ROUNDS = 30;
/** `npm run test:crash` sets 300. */
const CUTS = Number(process.env.PLACARD_POWER_CUTS ?? 40);
const CONTROL_CUTS = 25;
const PROGRAM = resolve(import.meta.dirname, '../support/durable-writer.ts');

/** What must be there after a cut, by all that was acknowledged before it. */
interface Promised {
  identity: boolean;
  media: string[];
  manifest: string | null;
  plays: string[];
  commands: string[];
}

function promisedBy(events: readonly DiskEvent[]): Promised {
  const promised: Promised = { identity: false, media: [], manifest: null, plays: [], commands: [] };
  for (const event of events) {
    if (event.kind !== 'ack') continue;
    const [kind, what = ''] = event.what.split(' ');
    if (kind === 'identity') promised.identity = true;
    if (kind === 'media') promised.media.push(what);
    if (kind === 'manifest') promised.manifest = what;
    if (kind === 'play') promised.plays.push(what);
    if (kind === 'command') promised.commands.push(what);
  }
  return promised;
}

/** Starts a player's disk side on the folder and names everything that is missing or wrong. */
async function whatIsWrong(dir: string, promised: Promised): Promise<string[]> {
  const wrong: string[] = [];
  const log = createQuietLog();
  const store = createSqliteStore({
    file: join(dir, 'player.sqlite'),
    identityFile: join(dir, 'identity.json'),
    server: 'http://cloud.test',
    nowMs: 0,
    log,
  });
  try {
    if (store.setAside) wrong.push('the database is damaged');
    if (promised.identity && store.readIdentity()?.deviceToken !== 'secret')
      wrong.push('the identity is lost');
    const held = Number(store.readManifests().held?.revision.slice(1) ?? -1);
    const wanted = Number(promised.manifest?.slice(1) ?? -1);
    if (held < wanted) wrong.push(`manifest r${wanted} is lost`);
    const plays = new Set(store.pendingPlays(10_000).map((play) => play.id));
    for (const id of promised.plays) if (!plays.has(id)) wrong.push(`${id} is lost`);
    const commands = new Set(store.readCommands().map((entry) => entry.id));
    for (const id of promised.commands) if (!commands.has(id)) wrong.push(`${id} is lost`);
    const dispatcher = new Agent();
    const media = await openMediaCache({
      dir: join(dir, 'media'),
      index: store,
      dispatcher,
      maxCacheBytes: null,
      minFreeBytes: 0,
      maxBytesPerSecond: null,
      log,
    });
    for (const sha256 of promised.media) if (!media.held().has(sha256)) wrong.push(`media ${sha256} is lost`);
    for (const sha256 of media.held()) {
      const bytes = readFileSync(join(dir, 'media', sha256));
      const found = createHash('sha256').update(bytes).digest('hex');
      if (found !== sha256) wrong.push(`media ${sha256} would be shown with wrong bytes`);
    }
    await dispatcher.destroy();
  } finally {
    store.close();
  }
  return wrong;
}

/** Cuts the power at random instants; everything that was found wrong, with the instant. */
async function cutPower(events: readonly DiskEvent[], cuts: number, seed: number): Promise<string[]> {
  const random = createSeededRandom(seed);
  const dir = join(tempDir(), 'player');
  const found: string[] = [];
  const instants = Array.from({ length: cuts }, () => 1 + Math.floor(random.next() * events.length));
  const disk = createRecordedDisk();
  let fed = 0;
  for (const instant of instants.toSorted((a, b) => a - b)) {
    for (; fed < instant; fed++) disk.feed(events[fed]!);
    disk.cutInto(dir, () => random.next());
    for (const one of await whatIsWrong(dir, promisedBy(events.slice(0, instant)))) {
      found.push(`after event ${instant}: ${one}`);
    }
  }
  return found;
}

const record = (): DiskEvent[] | null => {
  const dir = tempDir();
  const [data, trace] = [join(dir, 'data'), join(dir, 'trace')];
  mkdirSync(data);
  mkdirSync(trace);
  return recordDisk([PROGRAM, data, String(ROUNDS)], data, trace);
};

describe('power cuts', () => {
  test(`at ${CUTS} instants lose nothing that was acknowledged, and a lax disk would be seen to`, async ({
    skip,
  }) => {
    const events = record() ?? skip('strace is not there');
    expect(events.filter((event) => event.kind === 'ack')).toHaveLength(1 + ROUNDS * 6);
    expect(await cutPower(events, CUTS, 3)).toEqual([]);

    // What a log that is only synced at checkpoints would do: the test must see it.
    const laxLog = events.filter((event) => !(event.kind === 'sync' && event.path.endsWith('-wal')));
    expect((await cutPower(laxLog, CONTROL_CUTS, 3)).length).toBeGreaterThan(0);
    // And what media files would be that are renamed before they are synced.
    const laxMedia = events.filter((event) => !(event.kind === 'sync' && event.path.startsWith('media/')));
    expect((await cutPower(laxMedia, CONTROL_CUTS, 3)).some((one) => one.includes('media'))).toBe(true);
  });
});

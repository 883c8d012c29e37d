import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '@placard/protocol';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startFakeCloud, toldDifferently, type FakeCloud } from '../../test/support/fake-cloud.ts';
import { sketchManifest } from '../../test/support/manifests.ts';
import { createSeededRandom } from '../../test/support/player-box.ts';
import { createShellDouble, type ShellDouble } from '../../test/support/shell-double.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { until } from '../../test/support/until.ts';

/** `npm run test:crash` sets 500. */
const DEATHS = Number(process.env.PLACARD_CRASHES ?? 8);
const SEED = Number(process.env.PLACARD_SEED ?? 7);
const LONGEST_LIFE_MS = 2_500;
/** Some die again while they come up. */
const LONGEST_START_MS = 900;
const CHUNK_BYTES = 48 * 1024;

/** Sends media so slowly that a death falls into a download. */
function slowly(media: ReadonlyMap<string, Buffer>) {
  return (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '';
    const bytes = media.get(path);
    if (!bytes) {
      response.writeHead(404).end();
      return;
    }
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const range = from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(from > 0 ? 206 : 200, {
      etag: `"${path}"`,
      'content-length': bytes.length - from,
      ...range,
    });
    void drip(response, bytes.subarray(from));
  };
}

async function drip(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += CHUNK_BYTES) {
    response.write(bytes.subarray(at, at + CHUNK_BYTES));
    await sleep(4);
  }
  response.end();
}

interface Show {
  /** A new manifest: a second to show of each item, new bytes for three of them, and one that no page can decode. */
  make(round: number): Manifest;
  /** Which asset a page shows at this address. */
  assetAt(url: string): string | undefined;
}

const BROKEN = Buffer.from('nobody can decode this');
const BROKEN_URL = `/media/${hashOf(BROKEN)}`;

const bytesOf = (assetId: string): Buffer => {
  if (assetId === 'asset_same') return Buffer.from('the same for ever');
  return assetId === 'asset_broken' ? BROKEN : randomBytes(300_000);
};

function createShow(cloud: FakeCloud, media: Map<string, Buffer>): Show {
  const assets = new Map<string, string>();
  return {
    make(round) {
      const names = [0, 1, 2].map((index) => `${round}_${index}`);
      const manifest = sketchManifest({
        revision: `rev_${round}`,
        playlists: { pl: [...names, 'same', 'broken'].map((name) => [name, 1]) },
      });
      const made = manifest.assets.map((asset) => {
        const bytes = bytesOf(asset.id);
        const served = cloud.addMedia(bytes);
        media.set(new URL(served.url).pathname, bytes);
        assets.set(`/media/${served.sha256}`, asset.id);
        return { ...asset, ...served };
      });
      return { ...manifest, assets: made };
    },
    assetAt: (url) => assets.get(url),
  };
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Files in the cache whose bytes are not what their name says. */
function wrongFiles(dir: string): string[] {
  const whole = readdirSync(dir).filter((name) => /^[0-9a-f]{64}$/.test(name));
  return whole.filter((name) => hashOf(readFileSync(join(dir, name))) !== name);
}

/** What the disk of the dead player remembers. */
function remembered(file: string): { plays: Set<string>; media: string[] } {
  const db = new Database(file, { readonly: true });
  const plays = db.prepare<[], { id: string }>('SELECT id FROM plays').all();
  const media = db.prepare<[], { sha256: string }>('SELECT sha256 FROM media').all();
  db.close();
  return { plays: new Set(plays.map((row) => row.id)), media: media.map((row) => row.sha256) };
}

test(
  `${DEATHS} deaths at random instants lose no play, double none, and leave no wrong file`,
  async () => {
    const random = createSeededRandom(SEED);
    const cloud = await startFakeCloud();
    onTestFinished(() => cloud.stop());
    const media = new Map<string, Buffer>();
    cloud.script('/media/', slowly(media));
    const show = createShow(cloud, media);
    const dataDir = join(tempDir(), 'player');
    const mediaDir = join(dataDir, 'media');
    const shell = createShellDouble({
      server: cloud.url,
      dataDir,
      env: { PLACARD_LOG_LEVEL: 'info' },
      fails: (showing) => showing.url === BROKEN_URL,
    });
    onTestFinished(() => shell.end());
    const { shown } = shell.stage;
    /** The page goes on to what it holds ready by itself; the picture after that is the work of this process. */
    const played = (since: number) => until('the next pictures', () => shown.length > since + 1);

    cloud.setManifest(show.make(0));
    await shell.start();
    cloud.confirm();
    await played(0);
    await until('a failure', () => shell.stage.failed.length > 0);

    const line = createSeededRandom(SEED + 1);
    cloud.losing((path) => {
      if (!/plays|commands/.test(path)) return null;
      const fate = line.next();
      return fate < 0.25 ? 'request' : fate < 0.5 ? 'answer' : null;
    });
    const commands = new Map<string, 'REBOOT' | 'REFRESH'>();
    for (let death = 1; death <= DEATHS; death++) {
      if (random.next() < 0.3) cloud.setManifest(show.make(death));
      if (random.next() < 0.3) {
        const id = `cmd_${commands.size + 1}`;
        const command = random.next() < 0.5 ? ('REBOOT' as const) : ('REFRESH' as const);
        commands.set(id, command);
        cloud.command({ id, command, expires_at: new Date(Date.now() + 3_600_000).toISOString() });
      }
      const cut = random.next() < 0.3;
      if (cut) await cloud.stop();
      await sleep(random.next() * LONGEST_LIFE_MS);
      await shell.kill();
      // Whatever has died, the picture is up.
      expect(shell.stage.current).not.toBe(null);
      expect(wrongFiles(mediaDir)).toEqual([]);
      if (cut) await cloud.start();
      const before = shown.length;
      const starts = [shell.start()];
      if (random.next() < 0.25) {
        await sleep(random.next() * LONGEST_START_MS);
        await shell.kill();
        starts.push(shell.start());
      }
      await Promise.all(starts);
      await played(before);
    }

    cloud.losing(null);

    const finals = () => endsOf(cloud);
    // A reboot that does not come is given up after minutes; another death says at once that it did not.
    for (let more = 0; more < 2 * commands.size && finals().size < commands.size; more++) {
      const before = finals().size;
      await shell.kill();
      await shell.start();
      await until('the next of them', () => finals().size > before, 20_000).catch(() => {});
    }
    expect([...finals().keys()].toSorted()).toEqual([...commands.keys()].toSorted());
    for (const [id, ends] of finals()) expect([id, ends.size]).toEqual([id, 1]);
    // Logged in the instant before it is done, by whichever process.
    for (const id of commands.keys()) expect([id, begun(shell, id)]).toEqual([id, expect.toBeOneOf([0, 1])]);
    const reboots = [...commands].filter(([id, command]) => command === 'REBOOT' && begun(shell, id) > 0);
    expect(events(shell, 'machine.reboot').length).toBeLessThanOrEqual(reboots.length);

    const failed = events(shell, 'play.ended').filter((line) => line.includes('"outcome":"failed"'));
    const failures = failed.map((line) => ended.parse(JSON.parse(line)).play);
    expect(failures).not.toEqual([]);
    const due = [...shown.slice(0, -2).map((one) => one.id), ...failures];
    const told = () => new Map(cloud.seen.plays.map((play) => [play.id, play]));
    const missing = () => due.filter((id) => !told().has(id));
    await until('every play', () => missing().length === 0, 180_000).catch(() => {});
    expect(missing(), 'plays that were shown and never reported').toEqual([]);
    await shell.stop();

    const { plays, media: kept } = remembered(join(dataDir, 'player.sqlite'));
    const misreported = shown.filter(({ id, url }) => {
      const play = told().get(id);
      return play ? play.outcome === 'failed' || play.content_id !== show.assetAt(url) : !plays.has(id);
    });
    expect(misreported, 'plays that are lost, or not what was shown').toEqual([]);
    const seen = new Set(shown.map((one) => one.id));
    const rest = cloud.seen.plays.filter((play) => !seen.has(play.id));
    expect(rest.filter((play) => play.outcome !== 'failed' || play.content_id !== 'asset_broken')).toEqual(
      [],
    );
    expect(rest.filter((play) => !shell.stage.failed.includes(play.id))).toEqual([]);
    // As often as it comes, a play is one play: the same id, the same words.
    expect(toldDifferently(cloud)).toEqual([]);
    const faults = cloud.seen.heartbeats.flatMap((beat) => beat.state.faults.map((fault) => fault.code));
    expect(faults).not.toContain('plays.dropped');

    expect(wrongFiles(mediaDir)).toEqual([]);
    const files = new Set(readdirSync(mediaDir));
    expect(kept.filter((sha256) => !files.has(sha256))).toEqual([]);
  },
  DEATHS * 15_000 + 400_000,
);

const ended = z.object({ play: z.string() });

/** Log lines of this event, of all processes so far. */
const events = (shell: ShellDouble, event: string) =>
  shell.logged.filter((line) => line.includes(`"msg":"${event}"`));

const begun = (shell: ShellDouble, id: string) =>
  events(shell, 'command.begun').filter((line) => line.includes(`"command":"${id}"`)).length;

/** Every end that was told of each command. */
function endsOf(cloud: FakeCloud): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { id, status } of cloud.seen.statuses) {
    if (status.status === 'acknowledged') continue;
    found.set(id, (found.get(id) ?? new Set()).add(status.status));
  }
  return found;
}

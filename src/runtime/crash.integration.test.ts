import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '@placard/protocol';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startFakeCloud, playsResentWithChanges } from '../../test/support/fake-cloud.ts';
import type { FakeCloud } from '../../test/support/fake-cloud.ts';
import { buildManifest } from '../../test/support/manifests.ts';
import { createSeededRandom } from '../../test/support/seeded-random.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import type { FakeShell } from '../../test/support/fake-shell.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

/** `npm run test:crash` sets 500. */
const CRASH_COUNT = Number(process.env.PLACARD_CRASHES ?? 5);
const SEED = Number(process.env.PLACARD_SEED ?? 7);
const MAX_RUN_MS = 2_500;
/** Some processes are killed again within this time after their start. */
const MAX_START_MS = 900;
const CHUNK_BYTES = 48 * 1024;

/** Sends media so slowly that crashes happen during downloads. */
function serveSlowly(media: ReadonlyMap<string, Buffer>) {
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
    void writeInChunks(response, bytes.subarray(from));
  };
}

async function writeInChunks(response: ServerResponse, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length && !response.destroyed; at += CHUNK_BYTES) {
    response.write(bytes.subarray(at, at + CHUNK_BYTES));
    await sleep(4);
  }
  response.end();
}

interface ManifestFactory {
  /** A new manifest: each item lasts one second, three have new content, and one cannot be decoded. */
  createManifest(round: number): Manifest;
  /** The asset that has this URL. */
  assetAt(url: string): string | undefined;
}

const BROKEN_BYTES = Buffer.from('nobody can decode this');
const BROKEN_URL = `/media/${hashOf(BROKEN_BYTES)}`;

const bytesOf = (assetId: string): Buffer => {
  if (assetId === 'asset_same') {
    return Buffer.from('the same for ever');
  }
  return assetId === 'asset_broken' ? BROKEN_BYTES : randomBytes(300_000);
};

function createManifestFactory(cloud: FakeCloud, media: Map<string, Buffer>): ManifestFactory {
  const assets = new Map<string, string>();
  return {
    createManifest(round) {
      const names = [0, 1, 2].map((index) => `${round}_${index}`);
      const manifest = buildManifest({
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

/** Cached files whose content does not match the hash in their name. */
function filesWithWrongHash(dir: string): string[] {
  const whole = readdirSync(dir).filter((name) => /^[0-9a-f]{64}$/.test(name));
  return whole.filter((name) => hashOf(readFileSync(join(dir, name))) !== name);
}

/** Plays and media in the database of the stopped player. */
function readDatabase(file: string): { plays: Set<string>; media: string[] } {
  const db = new Database(file, { readonly: true });
  const plays = db.prepare<[], { id: string }>('SELECT id FROM plays').all();
  const media = db.prepare<[], { sha256: string }>('SELECT sha256 FROM media').all();
  db.close();
  return { plays: new Set(plays.map((row) => row.id)), media: media.map((row) => row.sha256) };
}

test(
  `${CRASH_COUNT} crashes at random times lose no play, duplicate none, and leave no damaged file`,
  async () => {
    const random = createSeededRandom(SEED);
    const cloud = await startFakeCloud();
    onTestFinished(() => cloud.stop());
    const media = new Map<string, Buffer>();
    cloud.handleRoute('/media/', serveSlowly(media));
    const show = createManifestFactory(cloud, media);
    const dataDir = join(tempDir(), 'player');
    const mediaDir = join(dataDir, 'media');
    const shell = createFakeShell({
      server: cloud.url,
      dataDir,
      env: { PLACARD_LOG_LEVEL: 'info' },
      shouldFail: (showing) => showing.url === BROKEN_URL,
    });
    onTestFinished(() => shell.dispose());
    const { shown } = shell.stage;
    /** The page shows the prepared item without the runtime; the picture after that proves that this process works. */
    const untilNextPictures = (since: number) =>
      waitUntil('the next pictures', () => shown.length > since + 1);

    cloud.setManifest(show.createManifest(0));
    await shell.start();
    cloud.confirmPairing();
    await untilNextPictures(0);
    await waitUntil('a failure', () => shell.stage.failedShowingIds.length > 0);

    const line = createSeededRandom(SEED + 1);
    cloud.setLossRule((path) => {
      if (!/plays|commands/.test(path)) {
        return null;
      }
      const lossChance = line.next();
      return lossChance < 0.25 ? 'request' : lossChance < 0.5 ? 'response' : null;
    });
    const commands = new Map<string, 'REBOOT' | 'REFRESH'>();
    for (let crash = 1; crash <= CRASH_COUNT; crash++) {
      if (random.next() < 0.3) {
        cloud.setManifest(show.createManifest(crash));
      }
      if (random.next() < 0.3) {
        const id = `cmd_${commands.size + 1}`;
        const command = random.next() < 0.5 ? ('REBOOT' as const) : ('REFRESH' as const);
        commands.set(id, command);
        cloud.sendCommand({ id, command, expires_at: new Date(Date.now() + 3_600_000).toISOString() });
      }
      const cut = random.next() < 0.3;
      if (cut) {
        await cloud.stop();
      }
      await sleep(random.next() * MAX_RUN_MS);
      await shell.kill();
      // The picture stays on the screen across the crash.
      expect(shell.stage.current).not.toBe(null);
      expect(filesWithWrongHash(mediaDir)).toEqual([]);
      if (cut) {
        await cloud.start();
      }
      const before = shown.length;
      const starts = [shell.start()];
      if (random.next() < 0.25) {
        await sleep(random.next() * MAX_START_MS);
        await shell.kill();
        starts.push(shell.start());
      }
      await Promise.all(starts);
      await untilNextPictures(before);
    }

    cloud.setLossRule(null);

    const finals = () => finalStatusesOf(cloud);
    // A reboot that does not happen fails after minutes; another crash reports the failure at once.
    for (let more = 0; more < 2 * commands.size && finals().size < commands.size; more++) {
      const before = finals().size;
      await shell.kill();
      await shell.start();
      await waitUntil('the next of them', () => finals().size > before, 20_000).catch(() => {});
    }
    expect([...finals().keys()].toSorted()).toEqual([...commands.keys()].toSorted());
    for (const [id, ends] of finals()) {
      expect([id, ends.size]).toEqual([id, 1]);
    }
    // Logged right before the command is executed, by any of the processes.
    for (const id of commands.keys()) {
      expect([id, begun(shell, id)]).toEqual([id, expect.toBeOneOf([0, 1])]);
    }
    const reboots = [...commands].filter(([id, command]) => command === 'REBOOT' && begun(shell, id) > 0);
    expect(events(shell, 'machine.reboot_requested').length).toBeLessThanOrEqual(reboots.length);

    const failed = events(shell, 'play.ended').filter((line) => line.includes('"outcome":"failed"'));
    const failures = failed.map((line) => playEndedLine.parse(JSON.parse(line)).play);
    expect(failures).not.toEqual([]);
    const due = [...shown.slice(0, -2).map((one) => one.id), ...failures];
    const reportedPlays = () => new Map(cloud.received.plays.map((play) => [play.id, play]));
    const missing = () => due.filter((id) => !reportedPlays().has(id));
    await waitUntil('every play', () => missing().length === 0, 180_000).catch(() => {});
    expect(missing(), 'plays that were shown and never reported').toEqual([]);
    await shell.stop();

    const { plays, media: storedMedia } = readDatabase(join(dataDir, 'player.sqlite'));
    const misreported = shown.filter(({ id, url }) => {
      const play = reportedPlays().get(id);
      return play ? play.outcome === 'failed' || play.content_id !== show.assetAt(url) : !plays.has(id);
    });
    expect(misreported, 'plays that are lost, or not what was shown').toEqual([]);
    const seen = new Set(shown.map((one) => one.id));
    const rest = cloud.received.plays.filter((play) => !seen.has(play.id));
    expect(rest.filter((play) => play.outcome !== 'failed' || play.content_id !== 'asset_broken')).toEqual(
      [],
    );
    expect(rest.filter((play) => !shell.stage.failedShowingIds.includes(play.id))).toEqual([]);
    // A play that is sent again has the same id and the same content.
    expect(playsResentWithChanges(cloud)).toEqual([]);
    const faults = cloud.received.heartbeats.flatMap((beat) => beat.state.faults.map((fault) => fault.code));
    expect(faults).not.toContain('plays.dropped');

    expect(filesWithWrongHash(mediaDir)).toEqual([]);
    const files = new Set(readdirSync(mediaDir));
    expect(storedMedia.filter((sha256) => !files.has(sha256))).toEqual([]);
  },
  CRASH_COUNT * 15_000 + 400_000,
);

const playEndedLine = z.object({ play: z.string() });

/** Log lines with this event, of all processes so far. */
const events = (shell: FakeShell, event: string) =>
  shell.logLines.filter((line) => line.includes(`"msg":"${event}"`));

const begun = (shell: FakeShell, id: string) =>
  events(shell, 'command.started').filter((line) => line.includes(`"command":"${id}"`)).length;

/** All final statuses that were reported for each command. */
function finalStatusesOf(cloud: FakeCloud): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { id, status } of cloud.received.commandStatuses) {
    if (status.status === 'acknowledged') {
      continue;
    }
    found.set(id, (found.get(id) ?? new Set()).add(status.status));
  }
  return found;
}

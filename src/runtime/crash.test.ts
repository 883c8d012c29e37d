import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '@placard/protocol';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeCloud, type FakeCloud } from '../../test/support/fake-cloud.ts';
import { sketchManifest } from '../../test/support/manifests.ts';
import { createSeededRandom } from '../../test/support/player-box.ts';
import { createShellDouble } from '../../test/support/shell-double.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { until } from '../../test/support/until.ts';

/** `npm run test:crash` sets 500. */
const DEATHS = Number(process.env.PLACARD_CRASHES ?? 8);
const SEED = Number(process.env.PLACARD_SEED ?? 7);
const LONGEST_LIFE_MS = 2_500;
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

/** Manifests with a second to show of each item, the media of each new ones. */
function manifestMaker(cloud: FakeCloud, media: Map<string, Buffer>): (round: number) => Manifest {
  return (round) => {
    const names = [0, 1, 2].map((index) => `${round}_${index}`);
    const manifest = sketchManifest({
      revision: `rev_${round}`,
      playlists: { pl: [...names, 'same'].map((name) => [name, 1]) },
    });
    const assets = manifest.assets.map((asset) => {
      const bytes = asset.id === 'asset_same' ? Buffer.from('the same for ever') : randomBytes(300_000);
      const made = cloud.addMedia(bytes);
      media.set(new URL(made.url).pathname, bytes);
      return { ...asset, ...made };
    });
    return { ...manifest, assets };
  };
}

test(
  `${DEATHS} deaths at random instants lose no play, double none, and leave no wrong file`,
  async () => {
    const random = createSeededRandom(SEED);
    const cloud = await startFakeCloud();
    onTestFinished(() => cloud.stop());
    const media = new Map<string, Buffer>();
    cloud.script('/media/', slowly(media));
    const make = manifestMaker(cloud, media);
    const dataDir = join(tempDir(), 'player');
    const shell = createShellDouble({ server: cloud.url, dataDir });
    onTestFinished(() => shell.end());

    cloud.setManifest(make(0));
    await shell.start();
    cloud.confirm();
    await until('a first picture', () => shell.stage.current);

    let commands = 0;
    for (let death = 1; death <= DEATHS; death++) {
      if (random.next() < 0.3) cloud.setManifest(make(death));
      if (random.next() < 0.3) {
        const command = random.next() < 0.5 ? ('REBOOT' as const) : ('REFRESH' as const);
        cloud.command({
          id: `cmd_${++commands}`,
          command,
          expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        });
      }
      const cut = random.next() < 0.3;
      if (cut) await cloud.stop();
      await sleep(random.next() * LONGEST_LIFE_MS);
      await shell.kill();
      // Whatever has died, the picture is up.
      expect(shell.stage.current).not.toBe(null);
      if (cut) await cloud.start();
      const shown = shell.stage.shown.length;
      await shell.start();
      if (death % 4 === 0) await until('the next picture', () => shell.stage.shown.length > shown);
    }

    await until('the last picture and an idle queue', () => shell.stage.shown.length > 3);
    const ended = shell.stage.shown.slice(0, -2).map((one) => one.id);
    const arrived = () => new Set(cloud.seen.plays.map((play) => play.id));
    const missing = () => ended.filter((id) => !arrived().has(id));
    await until('every play', () => missing().length === 0, 180_000).catch(() => {});
    expect(missing(), 'plays that were shown and never reported').toEqual([]);
    // A reboot that does not come is given up after minutes; another death says at once that it did not.
    for (let more = 0; more < commands && finals(cloud).size < commands; more++) {
      await sleep(LONGEST_LIFE_MS);
      await shell.kill();
      await shell.start();
      await until('all or the next of them', () => finals(cloud).size === commands, 5_000).catch(() => {});
    }
    expect(finals(cloud).size).toBe(commands);
    await shell.stop();

    const known = new Set(shell.stage.shown.map((one) => one.id));
    expect(cloud.seen.plays.filter((play) => play.outcome !== 'failed' && !known.has(play.id))).toEqual([]);
    for (const outcomes of finals(cloud).values()) expect(outcomes.size).toBe(1);
    const reboots = shell.logged.filter((line) => line.includes('machine.reboot')).length;
    expect(reboots).toBeLessThanOrEqual(commands);

    const db = new Database(join(dataDir, 'player.sqlite'), { readonly: true });
    const rows = db.prepare<[], { sha256: string }>('SELECT sha256 FROM media').all();
    db.close();
    const files = new Set(readdirSync(join(dataDir, 'media')));
    for (const { sha256 } of rows) {
      expect(files.has(sha256)).toBe(true);
      const bytes = readFileSync(join(dataDir, 'media', sha256));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    }
  },
  DEATHS * 10_000 + 400_000,
);

/** Every end that was told of each command. */
function finals(cloud: FakeCloud): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { id, status } of cloud.seen.statuses) {
    if (status.status === 'acknowledged') continue;
    found.set(id, (found.get(id) ?? new Set()).add(status.status));
  }
  return found;
}

import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Agent } from 'undici';
import { takeDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import { createSqliteStore } from '../../src/adapters/sqlite-store/sqlite-store.ts';
import { receive } from '../../src/core/commands/journal.ts';
import { startFakeCloud } from './fake-cloud.ts';
import { imageAsset, sketchManifest } from './manifests.ts';
import { createQuietLog } from './quiet-log.ts';

/**
 * Run as a process of its own under `strace`: does what a player does to its disk, and says on its standard output
 * what has been acknowledged, so that a recording has both in order. After a quarter of the rounds it closes the
 * database and opens it again, as a restart does; later the log grows so long that SQLite takes it over by itself.
 */
const [dir = '', rounds = '30', synchronous = 'FULL'] = process.argv.slice(2);
const acknowledge = (what: string) => writeSync(1, `ACK ${what}\n`);
const NOON = Date.UTC(2026, 10, 20, 12);
const KEPT = 3;

if (synchronous !== 'FULL') laxDatabase(synchronous);
const folder = takeDataFolder(dir);
const log = createQuietLog();
const dispatcher = new Agent();
const cloud = await startFakeCloud();
const open = async () => {
  const store = createSqliteStore({
    file: folder.database,
    identityFile: folder.identity,
    server: 'http://cloud.test',
    nowMs: 0,
    log,
  });
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
  return { store, media };
};
let { store, media } = await open();
store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
acknowledge('identity');

const assets = [];
for (let round = 0; round < Number(rounds); round++) {
  if (round === Math.floor(Number(rounds) / 4)) {
    store.close();
    ({ store, media } = await open());
  }
  const name = String(round);
  const bytes = createHash('sha512').update(name).digest('hex').repeat(64);
  const asset = imageAsset(name, cloud.addMedia(bytes));
  await media.fetch(asset, new AbortController().signal);
  acknowledge(`media ${asset.sha256}`);
  assets.push(asset);
  const names = assets.slice(-KEPT).map((one) => one.id.slice('asset_'.length));
  store.saveTarget(sketchManifest({ revision: `r${round}`, playlists: { pl: names }, assets }));
  store.promoteTarget();
  acknowledge(`manifest r${round}`);
  for (let n = 0; n < 3; n++) play(round * 3 + n, asset.sha256, name);
  command(`cmd_${round}`);
}
// As a power cut finds it: nothing is closed.
process.exit(0);

function play(number: number, sha256: string, name: string): void {
  const draft = {
    id: `play_${String(number).padStart(26, '0')}`,
    playlistId: 'pl',
    itemId: `pl/${name}`,
    contentId: `asset_${name}`,
    sha256,
    scheduleId: null,
    ruleId: null,
    kind: 'image' as const,
    durationMs: 10_000,
    videoEndMs: null,
  };
  const startedAtMs = NOON + number * 10_000;
  store.playPrepared(draft, { playlistId: 'pl', position: { round: number, last: draft.itemId } });
  store.playStarted(draft, startedAtMs, null);
  acknowledge(`play ${draft.id}`);
  const times = { endedAtMs: startedAtMs + 10_000, durationMs: 10_000 };
  store.playEnded(draft, startedAtMs, { ...times, outcome: 'completed', reason: null }, null);
  acknowledge(`end ${draft.id}`);
}

function command(id: string): void {
  const wanted = { id, command: 'REBOOT' as const, expires_at: '2030-01-01T00:00:00.000Z' };
  const entry = receive(store.readCommands(), wanted, NOON);
  if (!entry) return;
  store.saveCommand(entry);
  acknowledge(`command ${id}`);
  store.saveCommand({
    ...entry,
    stage: 'executing',
    bootId: 'boot-before',
    launchId: 'launch-before',
    begunAtMs: NOON,
  });
  acknowledge(`acting ${id}`);
}

/** What the player refuses to live with, so that a test can show what it would cost. */
function laxDatabase(mode: string): void {
  // oxlint-disable-next-line typescript/unbound-method -- it is called on its database
  const { pragma } = Database.prototype;
  Database.prototype.pragma = function (text, options): unknown {
    if (text === 'synchronous = FULL') return pragma.call(this, `synchronous = ${mode}`, options);
    if (text === 'synchronous') return 2;
    return pragma.call(this, text, options);
  };
}

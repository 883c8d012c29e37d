import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { Agent } from 'undici';
import { acquireDataFolder } from '../../src/adapters/data-folder/data-folder.ts';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import { openPlayerDatabase } from '../../src/adapters/sqlite/player-database.ts';
import { createEntry } from '../../src/core/commands/journal.ts';
import { startFakeCloud } from './fake-cloud.ts';
import { imageAsset, buildManifest } from './manifests.ts';
import { createRecordingLog } from './recording-log.ts';
import { relaxSynchronousMode } from './relax-synchronous-mode.ts';

/**
 * Run as a separate process under `strace`: writes to its disk as a player does, and prints what has been acknowledged
 * to standard output, so that a recording has both in order. After a quarter of the rounds it closes and reopens the
 * database, as a restart does; later the WAL grows so long that SQLite checkpoints it by itself.
 */
const [dir = '', rounds = '30', synchronous = 'FULL'] = process.argv.slice(2);
const acknowledge = (what: string) => writeSync(1, `ACK ${what}\n`);
const NOON = Date.UTC(2026, 10, 20, 12);
const PLAYLIST_LENGTH = 3;

if (synchronous !== 'FULL') {
  relaxSynchronousMode(synchronous);
}
const folder = acquireDataFolder(dir);
const log = createRecordingLog();
const dispatcher = new Agent();
const cloud = await startFakeCloud();
const open = async () => {
  const database = openPlayerDatabase({
    file: folder.databaseFile,
    identityFile: folder.identityFile,
    server: 'http://cloud.test',
    nowMs: 0,
    log,
  });
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
  return { database, media };
};
let { database, media } = await open();
database.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
acknowledge('identity');

const assets = [];
for (let round = 0; round < Number(rounds); round++) {
  if (round === Math.floor(Number(rounds) / 4)) {
    database.close();
    ({ database, media } = await open());
  }
  const name = String(round);
  const bytes = createHash('sha512').update(name).digest('hex').repeat(64);
  const asset = imageAsset(name, cloud.addMedia(bytes));
  await media.fetch(asset, new AbortController().signal);
  acknowledge(`media ${asset.sha256}`);
  assets.push(asset);
  const names = assets.slice(-PLAYLIST_LENGTH).map((one) => one.id.slice('asset_'.length));
  database.saveTargetManifest(buildManifest({ revision: `r${round}`, playlists: { pl: names }, assets }));
  database.promoteTargetManifest();
  acknowledge(`manifest r${round}`);
  for (let n = 0; n < 3; n++) {
    recordPlay(round * 3 + n, asset.sha256, name);
  }
  recordCommand(`cmd_${round}`);
}
// Like a power cut: nothing is closed.
process.exit(0);

function recordPlay(number: number, sha256: string, name: string): void {
  const showing = {
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
  database.savePreparedShowing(showing, {
    playlistId: 'pl',
    position: { round: number, last: showing.itemId },
  });
  database.savePlayStart(showing, startedAtMs, null);
  acknowledge(`play ${showing.id}`);
  const times = { endedAtMs: startedAtMs + 10_000, durationMs: 10_000 };
  database.savePlayEnd(showing, startedAtMs, { ...times, outcome: 'completed', reason: null }, null);
  acknowledge(`end ${showing.id}`);
}

function recordCommand(id: string): void {
  const wireCommand = { id, command: 'REBOOT' as const, expires_at: '2030-01-01T00:00:00.000Z' };
  const entry = createEntry(database.readCommands(), wireCommand, NOON);
  if (!entry) {
    return;
  }
  database.saveCommand(entry);
  acknowledge(`command ${id}`);
  database.saveCommand({
    ...entry,
    stage: 'executing',
    bootId: 'boot-before',
    launchId: 'launch-before',
    begunAtMs: NOON,
  });
  acknowledge(`acting ${id}`);
}

import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import { createSqliteStore } from '../../src/adapters/sqlite-store/sqlite-store.ts';
import { receive } from '../../src/core/commands/journal.ts';
import { startFakeCloud } from './fake-cloud.ts';
import { hashOf, imageAsset, sketchManifest } from './manifests.ts';
import { createQuietLog } from './quiet-log.ts';

/**
 * Run as a process of its own under `strace`: does what a player does to its disk, and says on its standard output
 * what has been acknowledged, so that a recording has both in order.
 */
const dir = process.argv[2] ?? '';
const rounds = Number(process.argv[3] ?? 40);
const acknowledge = (what: string) => writeSync(1, `ACK ${what}\n`);
const NOON = Date.UTC(2026, 10, 20, 12);

const log = createQuietLog();
const store = createSqliteStore({
  file: join(dir, 'player.sqlite'),
  identityFile: join(dir, 'identity.json'),
  server: 'http://cloud.test',
  nowMs: 0,
  log,
});
const dispatcher = new Agent();
const cloud = await startFakeCloud();
const media = await openMediaCache({
  dir: join(dir, 'media'),
  index: store,
  dispatcher,
  maxCacheBytes: null,
  minFreeBytes: 0,
  maxBytesPerSecond: null,
  log,
});
store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
acknowledge('identity');

for (let round = 0; round < rounds; round++) {
  const bytes = createHash('sha512').update(String(round)).digest('hex').repeat(64);
  const asset = imageAsset(`asset_${round}`, cloud.addMedia(bytes));
  await media.fetch(asset, new AbortController().signal);
  acknowledge(`media ${asset.sha256}`);
  store.saveTarget({
    ...sketchManifest({ revision: `r${round}`, playlists: { pl: ['a', 'b'] } }),
    assets: [asset],
  });
  store.promoteTarget();
  acknowledge(`manifest r${round}`);
  for (let n = 0; n < 3; n++) {
    const id = `play_${String(round * 3 + n).padStart(26, '0')}`;
    const draft = {
      id,
      playlistId: 'pl',
      itemId: 'pl/a',
      contentId: 'asset_a',
      sha256: hashOf('a'),
      scheduleId: null,
      ruleId: null,
      kind: 'image' as const,
      durationMs: 10_000,
      videoEndMs: null,
    };
    store.playPrepared(draft, { playlistId: 'pl', position: { round, last: 'pl/a' } });
    store.playStarted(draft, NOON, null);
    const end = { endedAtMs: NOON + 10_000, durationMs: 10_000, outcome: 'completed' as const, reason: null };
    store.playEnded(draft, NOON, end, null);
    acknowledge(`play ${id}`);
  }
  const command = { id: `cmd_${round}`, command: 'REBOOT' as const, expires_at: '2030-01-01T00:00:00.000Z' };
  const entry = receive(store.readCommands(), command, NOON);
  if (entry) store.saveCommand(entry);
  acknowledge(`command cmd_${round}`);
}
store.close();
await cloud.stop();
await dispatcher.destroy();

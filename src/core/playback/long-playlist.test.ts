import { expect, test } from 'vitest';
import { createPlaybackDriver, START_MS } from '../../../test/support/playback-driver.ts';
import { buildManifest } from '../../../test/support/manifests.ts';
import { compileManifest } from './compiled-manifest.ts';

test('a shuffle of 100,000 items of which one is playable does not block the player', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
  const built = buildManifest({ revision: 'r1', playlists: { pl: names } });
  const manifest = {
    ...built,
    playlists: built.playlists.map((playlist) => ({ ...playlist, mode: 'shuffle' as const })),
  };
  const m = createPlaybackDriver();
  m.send({ kind: 'manifest_applied', compiledManifest: compileManifest(manifest), deviceId: 'dev_1' });
  const before = process.cpuUsage();
  m.hello();
  m.advance(1_000);
  m.send({ kind: 'media_changed', cached: new Set([manifest.assets[99_999]!.sha256]) });
  m.showPrepared();
  m.advance(1_000);
  const { user, system } = process.cpuUsage(before);
  expect(m.state.current).toMatchObject({
    startedAtMs: START_MS + 1_000,
    showing: { contentId: 'asset_n99999' },
  });
  expect((user + system) / 1e6).toBeLessThan(8);
});

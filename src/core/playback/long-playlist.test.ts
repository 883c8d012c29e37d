import { expect, test } from 'vitest';
import { machine, START } from '../../../test/support/playback-machine.ts';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { programmeOf } from './programme.ts';

test('a shuffle of 100,000 items, of which one can be shown, does not stop the player', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `n${index}`);
  const sketch = sketchManifest({ revision: 'r1', playlists: { pl: names } });
  const manifest = {
    ...sketch,
    playlists: sketch.playlists.map((playlist) => ({ ...playlist, mode: 'shuffle' as const })),
  };
  const m = machine();
  m.send({ kind: 'programme', programme: programmeOf(manifest), deviceId: 'dev_1' });
  const before = process.cpuUsage();
  m.hello();
  m.wait(1_000);
  m.send({ kind: 'media', held: new Set([manifest.assets[99_999]!.sha256]) });
  m.show();
  m.wait(1_000);
  const { user, system } = process.cpuUsage(before);
  expect(m.state.current).toMatchObject({ startedAtMs: START + 1_000, draft: { contentId: 'asset_n99999' } });
  expect((user + system) / 1e6).toBeLessThan(8);
});

import type { Manifest } from '@placard/protocol';
import type { PlayerDatabase } from '../../src/core/ports.ts';
import { createManualClock } from './manual-clock.ts';
import type { ManualClock } from './manual-clock.ts';
import { sha256Of, buildManifest } from './manifests.ts';
import type { ManifestSpec } from './manifests.ts';
import { createMemoryCloud } from './memory-cloud.ts';
import type { MemoryCloud } from './memory-cloud.ts';
import { createMemoryMediaCache } from './memory-media-cache.ts';
import { createMemoryDatabase } from './memory-database.ts';
import { createPlayerHarness } from './player-harness.ts';
import type { PlayerHarnessDeps } from './player-harness.ts';

export const NOON = Date.UTC(2026, 10, 20, 12);
/** For hours in which something else matters than what is shown: each picture takes time to simulate. */
export const SLOW_PLAYLIST = { pl: ['a', 'b', 'c'].map((name): [string, number] => [name, 300]) };

/** A whole player in virtual time: the real runtime, with disk, network and page in memory. */
export function createSimulatedPlayer(
  options: {
    clock?: ManualClock;
    database?: PlayerDatabase;
    cloud?: MemoryCloud;
    shouldFail?: (name: string) => boolean;
  } & Pick<PlayerHarnessDeps, 'maxShownItems' | 'fixedRandom' | 'picture' | 'updateWindow'> = {},
) {
  const { clock = createManualClock(NOON), shouldFail, ...harnessOptions } = options;
  const database = options.database ?? createMemoryDatabase();
  const media = createMemoryMediaCache({ index: database, maxCacheBytes: null });
  const cloud = options.cloud ?? createMemoryCloud({ clock });
  const names = new Map<string, string>();
  const player = createPlayerHarness({
    ...harnessOptions,
    clock,
    database,
    media,
    cloud,
    shouldFail: (showing) => shouldFail?.(names.get(showing.url) ?? '') ?? false,
  });
  const publish = (spec: ManifestSpec, missing: string[] = []): Manifest => {
    const manifest = buildManifest(spec);
    for (const asset of manifest.assets) {
      const name = asset.id.slice('asset_'.length);
      names.set(`/media/${sha256Of(name)}`, name);
      media.setDownload(asset.url, missing.includes(name) ? null : Buffer.from(name));
    }
    cloud.setManifest(manifest);
    return manifest;
  };
  return {
    clock,
    database,
    media,
    cloud,
    player,
    publish,
    /** Names of the media by URL. */
    names,
    /** Names of what was on the screen, in order. */
    shownNames: () => player.stage.shown.map((one) => names.get(one.url)),
    /** Pairs, and waits for the first picture. */
    pairAndPlay: async (spec: ManifestSpec = { playlists: { pl: ['a', 'b', 'c'] } }) => {
      publish(spec);
      player.start();
      await clock.advance(1_000);
      cloud.confirmPairing();
      await clock.advanceUntil(() => player.stage.current !== null, 60_000);
    },
  };
}

export const lastItem = <T>(list: readonly T[]): T => list.at(-1)!;

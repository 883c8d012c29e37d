import type { Manifest } from '@placard/protocol';
import type { Store } from '../../src/core/ports.ts';
import { createManualClock } from './manual-clock.ts';
import { hashOf, sketchManifest, type ManifestSketch } from './manifests.ts';
import { createMemoryCloud } from './memory-cloud.ts';
import { createMemoryMedia } from './memory-media.ts';
import { createMemoryStore } from './memory-store.ts';
import { createPlayerBox } from './player-box.ts';

export const NOON = Date.UTC(2026, 10, 20, 12);

/** A whole player in virtual time: a real runtime, with disk, network and page in memory. */
export function house(options: { fails?: (name: string) => boolean; store?: Store } = {}) {
  const clock = createManualClock(NOON);
  const store = options.store ?? createMemoryStore();
  const media = createMemoryMedia({ index: store, maxCacheBytes: null });
  const cloud = createMemoryCloud({ clock });
  const names = new Map<string, string>();
  const box = createPlayerBox({
    clock,
    store,
    media,
    cloud,
    fails: (showing) => options.fails?.(names.get(showing.url) ?? '') ?? false,
  });
  const publish = (sketch: ManifestSketch, missing: string[] = []): Manifest => {
    const manifest = sketchManifest(sketch);
    for (const asset of manifest.assets) {
      const name = asset.id.slice('asset_'.length);
      names.set(`/media/${hashOf(name)}`, name);
      media.serve(asset.url, missing.includes(name) ? null : Buffer.from(name));
    }
    cloud.setManifest(manifest);
    return manifest;
  };
  return {
    clock,
    store,
    media,
    cloud,
    box,
    publish,
    /** Names of what was on the screen, in order. */
    shown: () => box.stage.shown.map((one) => names.get(one.url)),
    /** Pairs, and waits for the first picture. */
    settle: async (sketch: ManifestSketch = { playlists: { pl: ['a', 'b', 'c'] } }) => {
      publish(sketch);
      box.start();
      await clock.advance(1_000);
      cloud.confirm();
      await clock.advanceUntil(() => box.stage.current !== null, 60_000);
    },
  };
}

export const lastOf = <T>(list: readonly T[]): T => list.at(-1)!;

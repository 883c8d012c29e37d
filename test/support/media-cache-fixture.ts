import type { ManifestAsset } from '@placard/protocol';
import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { openMediaCache } from '../../src/adapters/media-cache/media-cache.ts';
import type { MediaCacheDeps } from '../../src/adapters/media-cache/media-cache.ts';
import type { MediaCache, MediaIndex } from '../../src/core/ports.ts';
import { startFakeCloud } from './fake-cloud.ts';
import type { FakeCloud } from './fake-cloud.ts';
import { imageAsset } from './manifests.ts';
import { createRecordingLog } from './recording-log.ts';
import { tempDir } from './temp-dir.ts';

/** A real media folder, a server to download from, and the caches that a test opens on the folder. */
export interface MediaCacheFixture {
  dir: string;
  cloud: FakeCloud;
  log: ReturnType<typeof createRecordingLog>;
  /** Without limits by default. */
  readonly openCache: (index: MediaIndex, more?: Partial<MediaCacheDeps>) => Promise<MediaCache>;
  /** An asset that can be downloaded. */
  readonly createAsset: (name: string, bytes?: Buffer | string) => ManifestAsset;
}

export async function createMediaCacheFixture(dir = tempDir()): Promise<MediaCacheFixture> {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const log = createRecordingLog();
  return {
    dir,
    cloud,
    log,
    openCache: (index, more) =>
      openMediaCache({
        dir,
        index,
        dispatcher,
        ssrfGuard: { check: async () => {} },
        maxCacheBytes: null,
        minFreeBytes: 0,
        maxBytesPerSecond: null,
        log,
        ...more,
      }),
    createAsset: (name, bytes = name) => imageAsset(name, cloud.addMedia(bytes)),
  };
}

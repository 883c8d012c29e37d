import type { ManifestAsset } from '@placard/protocol';
import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import { openMediaCache, type MediaCacheDeps } from '../../src/adapters/media-cache/media-cache.ts';
import type { MediaCache, MediaIndex } from '../../src/core/ports.ts';
import { startFakeCloud, type FakeCloud } from './fake-cloud.ts';
import { imageAsset } from './manifests.ts';
import { createQuietLog } from './quiet-log.ts';
import { tempDir } from './temp-dir.ts';

/** A real folder of media, a server to fetch them from, and the caches that a test opens over them. */
export interface MediaFolder {
  dir: string;
  cloud: FakeCloud;
  log: ReturnType<typeof createQuietLog>;
  /** Without limits, unless they are given. */
  readonly open: (index: MediaIndex, more?: Partial<MediaCacheDeps>) => Promise<MediaCache>;
  /** An asset that can be downloaded. */
  readonly asset: (name: string, bytes?: Buffer | string) => ManifestAsset;
}

export async function createMediaFolder(dir = tempDir()): Promise<MediaFolder> {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const log = createQuietLog();
  return {
    dir,
    cloud,
    log,
    open: (index, more) =>
      openMediaCache({
        dir,
        index,
        dispatcher,
        gate: { check: async () => {} },
        maxCacheBytes: null,
        minFreeBytes: 0,
        maxBytesPerSecond: null,
        log,
        ...more,
      }),
    asset: (name, bytes = name) => imageAsset(name, cloud.addMedia(bytes)),
  };
}

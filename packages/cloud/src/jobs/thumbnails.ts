import type { Logger } from 'pino';
import type { BlobStore } from '../blob/blob-store.ts';
import { isRefusal } from '../domain/refusal.ts';
import type { Inspected, Refused } from '../media/messages.ts';
import type { Inspector } from '../media/inspector.ts';
import type { DiskWatch } from '../store/disk-watch.ts';
import type { Store } from '../store/store.ts';

/** So many videos in one round, one after the other: uploads have their turn between them. */
const MOST_IN_A_ROUND = 20;

export interface ThumbnailDeps {
  store: Store;
  blobs: BlobStore;
  disk: Pick<DiskWatch, 'report'>;
  media: Inspector;
  log: Logger;
}

/** Makes the small pictures of videos that came before the decoder did. Each video is tried once. */
export function createThumbnailJob({ store, blobs, disk, media, log }: ThumbnailDeps): () => Promise<void> {
  // The decoder is loaded by processes that live longer than one file: whether it is there does not change meanwhile.
  let canDecode: boolean | undefined;

  const settle = async (sha256: string, found: Inspected | Refused | null): Promise<void> => {
    if (found && 'thumbnail' in found && found.thumbnail) {
      const kept = await blobs.put(found.thumbnail);
      try {
        await store.transaction((work) => work.assets.setThumbnail(sha256, `${kept.sha256}.webp`));
      } finally {
        await kept.release();
      }
      return;
    }
    const fault = found === null ? 'missing' : 'reason' in found ? found.reason : found.thumbnailFault;
    await store.transaction((work) => work.assets.setThumbnailFault(sha256, fault ?? 'undecodable'));
    log.info({ event: 'thumbnail.failed', sha256, reason: fault });
  };

  return async () => {
    // Room is for what people send.
    if (canDecode === false || disk.report().state !== 'ok') return;
    const waiting = await store.assets.withoutThumbnail(MOST_IN_A_ROUND);
    if (waiting.length === 0) return;
    try {
      canDecode ??= (await media.codecs()).missing === null;
      if (!canDecode) return;
      for (const sha256 of waiting)
        await settle(sha256, await blobs.withFile(sha256, (path) => media.inspect(path, 'thumbnails')));
    } catch (error) {
      // Busy or stopping: the next round goes on.
      if (!isRefusal(error)) throw error;
    }
  };
}

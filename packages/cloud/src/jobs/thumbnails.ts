import { ignoreBusy } from '../domain/api-error.ts';
import type { InspectedFile, RejectedFile } from '../media/inspection-messages.ts';
import type { JobDeps } from './deps.ts';

/** Videos per run, one after another, so that uploads are inspected in between. */
const MAX_VIDEOS_PER_RUN = 20;

/** Makes thumbnails of videos uploaded before the decoder was installed. Each video is attempted once. */
export function createThumbnailJob({ database, blobs, disk, inspector, log }: JobDeps): () => Promise<void> {
  // Cached: inspection processes that outlive a file load the decoder, so its availability does not change.
  let canDecode: boolean | undefined;

  const saveThumbnail = async (
    sha256: string,
    inspected: InspectedFile | RejectedFile | null,
  ): Promise<void> => {
    if (inspected && 'thumbnail' in inspected && inspected.thumbnail) {
      const staged = await blobs.put(inspected.thumbnail);
      try {
        await database.transaction((tx) => tx.assets.setThumbnail(sha256, `${staged.sha256}.webp`));
      } finally {
        await staged.release();
      }
      return;
    }
    const fault =
      inspected === null ? 'missing' : 'reason' in inspected ? inspected.reason : inspected.thumbnailFault;
    await database.transaction((tx) => tx.assets.setThumbnailFault(sha256, fault ?? 'undecodable'));
    log.info({ sha256, reason: fault }, 'thumbnail.create_failed');
  };

  return async () => {
    // Disk space is for uploads.
    if (canDecode === false || disk.status().state !== 'ok') {
      return;
    }
    const hashes = await database.assets.withoutThumbnail(MAX_VIDEOS_PER_RUN);
    if (hashes.length === 0) {
      return;
    }
    try {
      canDecode ??= (await inspector.codecs()).missing === null;
      if (!canDecode) {
        return;
      }
      for (const sha256 of hashes) {
        await saveThumbnail(
          sha256,
          await blobs.withFile(sha256, (path) => inspector.inspect(path, 'thumbnails')),
        );
      }
    } catch (error) {
      ignoreBusy(error);
    }
  };
}

import type { StagedBlob } from '../../blob/blob-store.ts';
import { ApiError } from '../../domain/api-error.ts';
import type { Row } from '../../database/schema.ts';
import { UNKNOWN_CODEC } from '../../domain/video-classes.ts';
import type { HttpDeps } from '../deps.ts';

/** What the row of an asset says of its file. */
export type MediaColumns = Pick<
  Row<'assets'>,
  | 'type'
  | 'format'
  | 'width'
  | 'height'
  | 'size'
  | 'duration'
  | 'codec'
  | 'frame_rate'
  | 'sha256'
  | 'thumbnail'
  | 'thumbnail_fault'
>;

export interface MediaSteps<T> {
  /** Throws when the file is not wanted; before the work of inspecting it. */
  check: () => Promise<void>;
  /** Writes the row, while the file and its thumbnail are in the store. */
  write: (media: MediaColumns) => Promise<T>;
}

/**
 * Stores a staged file and its thumbnail if screens can show it; deletes it on failure. Inspections are queued fairly by
 * `owner`.
 */
export async function storeMedia<T>(
  staged: StagedBlob,
  owner: string,
  { blobs, inspector }: Pick<HttpDeps, 'blobs' | 'inspector'>,
  { check, write }: MediaSteps<T>,
): Promise<T> {
  let thumbnail: StagedBlob | null = null;
  try {
    await check();
    const inspected = await inspector.inspect(staged.path, owner);
    if ('reason' in inspected) {
      throw new ApiError('UNSUPPORTED_MEDIA_TYPE', inspected.message, {
        details: { reason: inspected.reason },
      });
    }
    await staged.save();
    if (inspected.thumbnail) {
      thumbnail = await blobs.put(inspected.thumbnail);
    }
    const { type, format, width, height, durationSeconds, codec, frameRate, thumbnailFault } = inspected;
    return await write({
      type,
      format,
      width,
      height,
      size: staged.size,
      duration: durationSeconds,
      codec: type === 'video' ? (codec ?? UNKNOWN_CODEC) : null,
      frame_rate: frameRate,
      sha256: staged.sha256,
      thumbnail: thumbnail && `${thumbnail.sha256}.webp`,
      thumbnail_fault: thumbnailFault,
    });
  } finally {
    await staged.release();
    await thumbnail?.release();
  }
}

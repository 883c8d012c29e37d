import { ignoreBusy } from '../domain/api-error.ts';
import { UNKNOWN_CODEC } from '../domain/video-classes.ts';
import type { JobDeps } from './deps.ts';

/** Videos per run, one after another, so that uploads are inspected in between. */
const MAX_VIDEOS_PER_RUN = 20;

/** Reads codec and frame rate of videos that an earlier version stored. Each video is attempted once. */
export async function readVideoDetails({
  database,
  blobs,
  inspector,
}: Pick<JobDeps, 'database' | 'blobs' | 'inspector'>): Promise<void> {
  try {
    for (const sha256 of await database.assets.withoutCodec(MAX_VIDEOS_PER_RUN)) {
      const inspected = await blobs.withFile(sha256, (path) => inspector.inspect(path, 'video details'));
      const read = inspected && 'codec' in inspected ? inspected : { codec: null, frameRate: null };
      await database.transaction((tx) =>
        tx.assets.setVideo(sha256, { codec: read.codec ?? UNKNOWN_CODEC, frame_rate: read.frameRate }),
      );
    }
  } catch (error) {
    ignoreBusy(error);
  }
}

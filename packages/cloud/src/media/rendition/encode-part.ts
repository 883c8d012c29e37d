import { FilePathTarget, Mp4OutputFormat, Output, VideoSampleSink, VideoSampleSource } from 'mediabunny';
import type { InputVideoTrack, VideoEncodingConfig, VideoTrackMetadata } from 'mediabunny';
import type { VideoPart } from './plan-parts.ts';

/** Decoders round times to it. */
const MICROSECOND = 1e-6;

export interface PartOrder {
  /** Of the original. */
  track: InputVideoTrack;
  part: VideoPart;
  /** Of so many frames the first one is kept. */
  step: number;
  /** The file to write. */
  to: string;
  encoding: VideoEncodingConfig;
  metadata: VideoTrackMetadata;
}

/**
 * Encodes the pictures of a part; its times begin at 0. Not with a `Conversion`, which leaves out frames that have no duration:
 * in WebM the last one of each cluster.
 */
export async function encodePart({ track, part, step, to, encoding, metadata }: PartOrder): Promise<void> {
  const output = createMp4(to);
  const pictures = new VideoSampleSource(encoding);
  output.addVideoTrack(pictures, metadata);
  await output.start();
  let index = 0;
  for await (const sample of new VideoSampleSink(track).samples(part.start, part.end - MICROSECOND)) {
    if (index % step === 0) {
      const start = Math.max(sample.timestamp, part.start);
      const duration = Math.max(0, sample.timestamp + sample.duration - start);
      // Shown for as long as the frames that it stands for.
      const frames = Math.max(1, Math.min(step, part.frames - index));
      sample.setTimestamp(start - part.start);
      sample.setDuration(duration * frames);
      await pictures.add(sample);
    }
    sample.close();
    index += 1;
  }
  pictures.close();
  await output.finalize();
}

/** The index is at the end: players have the whole file before they open it. */
export const createMp4 = (to: string): Output =>
  new Output({ format: new Mp4OutputFormat({ fastStart: false }), target: new FilePathTarget(to) });

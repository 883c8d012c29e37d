import { VideoSampleSink } from 'mediabunny';
import type { InputVideoTrack } from 'mediabunny';
import { mergeColours, scaledColours, toWideColours } from '../colours/wide-colours.ts';
import type { ToldColours, WideColours } from '../colours/wide-colours.ts';

export interface StoredColours {
  /** Null for a video that needs no others. */
  wide: WideColours | null;
  /** The same of frames that FFmpeg has scaled. */
  wideIfScaled: WideColours | null;
  /** What the frames tell, else the container. */
  told: ToldColours;
  /** Whether FFmpeg changes the matrix of frames that it scales. */
  changesIfScaled: boolean;
  /** How its first frame is stored, by the names of WebCodecs; null when these have none for it. */
  format: string | null;
}

/** The colours of a video. Some files tell them in the frames alone, others in the container alone. */
export async function readColours(track: InputVideoTrack): Promise<StoredColours> {
  const container = await track.getColorSpace();
  const sample = await new VideoSampleSink(track).getSample(await track.getFirstTimestamp());
  const frame: ToldColours = sample?.colorSpace ?? {};
  const format = sample?.format ?? null;
  sample?.close();
  const wide = toWideColours(frame, container);
  return {
    wide,
    wideIfScaled: wide && scaledColours(wide, frame),
    told: mergeColours(frame, container),
    changesIfScaled: typeof frame.matrix === 'string',
    format,
  };
}

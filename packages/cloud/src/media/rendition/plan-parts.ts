import { EncodedPacketSink, VideoSampleSink } from 'mediabunny';
import type { InputVideoTrack } from 'mediabunny';
import { MAX_FRAME_RATE } from '../../domain/rendition-sizes.ts';

/** A part begins at a key frame of the original, so that nothing is decoded twice; where these are rare it is longer. */
const PART_SECONDS = 30;
const NO_TIMES: ReadonlySet<number> = new Set();

/** A part of the original. */
export interface VideoPart {
  /** Seconds; the time of its first frame. */
  start: number;
  /** Seconds; the time of the first frame of the next part. Infinite for the last part. */
  end: number;
  frames: number;
}

export interface PartPlan {
  /** In their order; none when the video shows no frames. */
  parts: VideoPart[];
  /** Of so many frames the first one becomes a frame of the rendition. */
  step: number;
}

/** The parts in which a video is encoded: always the same ones of the same file, and one where parts would not fit together. */
export async function planParts(track: InputVideoTrack): Promise<PartPlan> {
  const times: number[] = [];
  const keyTimes = new Set<number>();
  let endSeconds = 0;
  const packets = new EncodedPacketSink(track).packets(undefined, undefined, { metadataOnly: true });
  for await (const { timestamp, duration, type } of packets) {
    const [time, end] = [Math.max(timestamp, 0), timestamp + duration];
    // What ends before 0 is not shown. Not every frame has a duration.
    if (timestamp >= 0 || end > 0) {
      times.push(time);
      endSeconds = Math.max(endSeconds, end);
      if (type === 'key') {
        keyTimes.add(time);
      }
    }
  }
  // They come in the order in which they are decoded.
  times.sort((a, b) => a - b);
  const [first = 0] = times;
  const step = Math.max(1, Math.ceil(times.length / (endSeconds - first) / MAX_FRAME_RATE));
  const parts = splitFrames(times, keyTimes, step);
  return { parts: (await areAlike(track, parts)) ? parts : splitFrames(times, NO_TIMES, step), step };
}

/**
 * Whether a decoder can begin with each part, and finds a frame of the same size there: an encoder keeps the size of its first
 * frame, and what it makes of other ones cannot be joined.
 */
async function areAlike(track: InputVideoTrack, parts: readonly VideoPart[]): Promise<boolean> {
  const packets = new EncodedPacketSink(track);
  const frames = new VideoSampleSink(track);
  const sizes = new Set<string>();
  for (const [index, { start }] of parts.entries()) {
    // Some containers tell key frames that are none.
    const key = await packets.getKeyPacket(start, { verifyKeyPackets: true });
    if (index > 0 && key?.timestamp !== start) {
      return false;
    }
    const frame = await frames.getSample(start);
    sizes.add(`${frame?.codedWidth} × ${frame?.codedHeight}`);
    frame?.close();
  }
  return sizes.size <= 1;
}

/** Splits frames so that each part but the last has a multiple of `step` of them. */
export function splitFrames(
  times: readonly number[],
  keyTimes: ReadonlySet<number>,
  step: number,
): VideoPart[] {
  const starts = [0];
  for (const [index, time] of times.entries()) {
    const begun = times[starts.at(-1) ?? 0] ?? 0;
    if (time - begun >= PART_SECONDS && index % step === 0 && keyTimes.has(time)) {
      starts.push(index);
    }
  }
  return starts.flatMap((start, part) => {
    const next = starts[part + 1] ?? times.length;
    const time = times[start];
    return time === undefined ? [] : [{ start: time, end: times[next] ?? Infinity, frames: next - start }];
  });
}

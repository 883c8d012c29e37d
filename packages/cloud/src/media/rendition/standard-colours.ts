import { VideoSample } from 'mediabunny';
import { readFrame } from '../colours/frame-planes.ts';
import { createToneMap } from '../colours/tone-map.ts';
import type { WideFrame } from '../colours/tone-map.ts';
import type { WideColours } from '../colours/wide-colours.ts';
import { changeMatrix } from './matrix-change.ts';

/** Makes frames in these colours to frames in those of usual screens, see `createToneMap`. */
export const toStandardColours = (colours: WideColours): ((sample: VideoSample) => Promise<VideoSample>) =>
  convertWith(createToneMap(colours), colours.fullRange);

/** Makes frames that FFmpeg has written in the matrix of BT.601 to usual ones, see `changeMatrix`. */
export const toStandardMatrix = convertWith(changeMatrix, false);

function convertWith(
  convert: (frame: WideFrame) => Uint8ClampedArray<ArrayBuffer>,
  /** Of frames that do not tell. */
  usualFullRange: boolean,
): (sample: VideoSample) => Promise<VideoSample> {
  return async (sample) => {
    const { codedWidth, codedHeight, timestamp, duration } = sample;
    const pixels = convert(await readFrame(sample, usualFullRange));
    return new VideoSample(pixels, { format: 'I420', codedWidth, codedHeight, timestamp, duration });
  };
}

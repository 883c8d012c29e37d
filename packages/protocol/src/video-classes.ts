/** Codecs of videos that not every screen can play. VP8 is no such codec. */
export const VIDEO_CODECS = ['h264', 'hevc', 'vp9', 'av1'] as const;
export type VideoCodec = (typeof VIDEO_CODECS)[number];

/** Videos that a decoder treats alike: with this codec and bit depth, of at most this size and frame rate. */
export interface VideoClass {
  codec: VideoCodec;
  /** Bits of a colour. */
  bit_depth: number;
  /** Pixels. */
  width: number;
  height: number;
  /** Frames per second. */
  frame_rate: number;
}

const SIZES = [
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
];

/**
 * What browsers are asked about. Clouds store what devices can play as one character for each of these, in this order:
 * more are added at the end.
 */
export const VIDEO_CLASSES: readonly VideoClass[] = VIDEO_CODECS.flatMap((codec) =>
  [8, 10].flatMap((bit_depth) =>
    SIZES.flatMap((size) => [30, 60].map((frame_rate) => ({ codec, bit_depth, ...size, frame_rate }))),
  ),
);

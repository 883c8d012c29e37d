import { VIDEO_CLASSES } from '@placard/protocol';
import type { VideoClass, VideoCodec } from '@placard/protocol';

/** In place of the codec of a video whose file does not tell it. */
export const UNKNOWN_CODEC = '';

/** What is known of the video of an asset. */
export interface StoredVideo {
  codec: string | null;
  width: number;
  height: number;
  frame_rate: number | null;
}

/** Frame rates such as 30.03 are those of the class below. */
const RATE_TOLERANCE = 1;

const isLarge = (each: VideoClass) => each.width > 1920;
const isFast = (each: VideoClass) => each.frame_rate > 30;

/**
 * The index in `VIDEO_CLASSES` of the class of a video; null when it is unknown. A video that is larger or faster than all
 * classes is in the largest: a screen that cannot play that cannot play this one.
 */
export function findVideoClass({ codec, width, height, frame_rate: rate }: StoredVideo): number | null {
  const read = readCodec(codec ?? UNKNOWN_CODEC);
  if (!read) {
    return null;
  }
  // Upright videos are as hard to decode as others.
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const wantsLarge = long > 1920 || short > 1088;
  const wantsFast = (rate ?? 0) > 30 + RATE_TOLERANCE;
  const index = VIDEO_CLASSES.findIndex(
    (each) =>
      each.codec === read.codec &&
      each.bit_depth === read.bitDepth &&
      isLarge(each) === wantsLarge &&
      isFast(each) === wantsFast,
  );
  return index < 0 ? null : index;
}

/** Codec and bit depth of a codec as RFC 6381 writes it; null for profiles with other depths or sampling. */
function readCodec(text: string): { codec: VideoCodec; bitDepth: number } | null {
  const [name = '', ...parts] = text.split('.');
  switch (name) {
    case 'avc1':
    case 'avc3': {
      // Baseline, main and high; high 10.
      const profile = (parts[0] ?? '').slice(0, 2).toLowerCase();
      const bitDepth = ['42', '4d', '58', '64'].includes(profile) ? 8 : profile === '6e' ? 10 : null;
      return bitDepth && { codec: 'h264', bitDepth };
    }
    case 'hvc1':
    case 'hev1': {
      // Main; main 10.
      const bitDepth = parts[0] === '1' ? 8 : parts[0] === '2' ? 10 : null;
      return bitDepth && { codec: 'hevc', bitDepth };
    }
    case 'vp09':
      return ['00', '02'].includes(parts[0] ?? '') ? withDepth('vp9', parts[2]) : null;
    case 'av01':
      return parts[0] === '0' ? withDepth('av1', parts[2]) : null;
    default:
      return null;
  }
}

const withDepth = (codec: VideoCodec, depth: string | undefined) => ({ codec, bitDepth: Number(depth) });

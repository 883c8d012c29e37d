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

/** What a video needs of a decoder. */
export interface VideoDemand {
  /** In `VIDEO_CLASSES`: the most demanding class that the video reaches, else the least of its codec and bit depth. */
  index: number;
  /** The classes of its codec and bit depth that it reaches. A screen that cannot play one of them cannot play the video. */
  reached: readonly number[];
  /** All classes of its codec and bit depth. */
  alike: readonly number[];
}

/** From which frame rate on a video is as fast as a class: 24 and 25 count as 30, and 50 as 60. */
const leastRate = ({ frame_rate: rate }: VideoClass): number => (rate > 30 ? 49 : 23);

/** What the video needs; null when its codec is unknown. Upright videos are as hard to decode as others. */
export function findDemand({ codec, width, height, frame_rate: rate }: StoredVideo): VideoDemand | null {
  const read = readCodec(codec ?? UNKNOWN_CODEC);
  const alike = VIDEO_CLASSES.flatMap((each, index) =>
    each.codec === read?.codec && each.bit_depth === read.bitDepth ? [index] : [],
  );
  const [first] = alike;
  if (first === undefined) {
    return null;
  }
  const [long, short] = [Math.max(width, height), Math.min(width, height)];
  const reached = alike.filter((index) => {
    const each = VIDEO_CLASSES[index];
    return each && long >= each.width && short >= each.height && (rate ?? 0) >= leastRate(each);
  });
  return { index: reached.at(-1) ?? first, reached, alike };
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

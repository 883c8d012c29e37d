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
  /** In `VIDEO_CLASSES`: the least class of its codec and bit depth that it fits into, else the largest one. */
  index: number;
  /** Whether it is larger or faster than all classes: no screen has reported that it plays such a video. */
  exceeds: boolean;
  /**
   * The class above and the lesser ones of its codec and bit depth; none when the video is less than the least of them. A
   * screen that does not play all of them is not known to play the video.
   */
  judgedBy: readonly number[];
  /** All classes of its codec and bit depth. */
  alike: readonly number[];
}

/** Equal for videos that screens are judged by in the same way. */
export const demandKey = ({ index, exceeds, judgedBy }: VideoDemand): string =>
  `${index} ${exceeds} ${judgedBy.length}`;

/**
 * Somewhat more than its frame rate fits into a class: some files have it only nearly. A smaller video may be as much faster,
 * up to `MOST_RATE`: the levels of a codec limit the pixels per second.
 */
const mostRate = ({ frame_rate: rate }: VideoClass): number => (rate * 61) / 60;
const MOST_RATE = 61;
/** From which frame rate on a video is as fast as the least class: 24 and 25 count as 30. */
const LEAST_RATE = 23;

/**
 * The pixels that fit into a class: 1,088 lines are 1,080 in whole blocks of 16, and a decoder of 3,840 × 2,160 has a level
 * that, in every codec, also has 4,096 × 2,160.
 */
const mostPixels = ({ width, height }: VideoClass) =>
  width > 1920 ? { long: 4096, short: height } : { long: width, short: 1088 };

/** What the video needs; null when its codec is unknown. Upright videos are as hard to decode as others. */
export function findDemand({ codec, width, height, frame_rate }: StoredVideo): VideoDemand | null {
  const read = readCodec(codec ?? UNKNOWN_CODEC);
  const alike = VIDEO_CLASSES.flatMap((each, index) =>
    each.codec === read?.codec && each.bit_depth === read.bitDepth ? [{ ...each, index }] : [],
  );
  const [least] = alike;
  const largest = alike.at(-1);
  if (!least || !largest) {
    return null;
  }
  const [long, short, rate] = [Math.max(width, height), Math.min(width, height), frame_rate ?? 0];
  const fitting = (rate <= MOST_RATE ? alike : []).find((each) => {
    const most = mostPixels(each);
    return (
      long <= most.long &&
      short <= most.short &&
      long * short * rate <= most.long * most.short * mostRate(each)
    );
  });
  const needed = fitting ?? largest;
  const isLess = needed === least && (long < least.width || short < least.height || rate < LEAST_RATE);
  return {
    index: needed.index,
    exceeds: !fitting,
    judgedBy: alike.flatMap((each) =>
      !isLess && each.width <= needed.width && each.frame_rate <= needed.frame_rate ? [each.index] : [],
    ),
    alike: alike.map(({ index }) => index),
  };
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

import { VIDEO_CLASSES } from '@placard/protocol';
import type { CapabilitiesReport, VideoClass } from '@placard/protocol';
import type { VideoDemand } from './video-classes.ts';

type VideoCapability = CapabilitiesReport['videos'][number];
/** What a device does with videos of a class, unless it plays them well. */
export type DecoderProblem = 'cannot_decode' | 'not_smooth';

const UNKNOWN = '-';
const [SUPPORTED, SMOOTH, POWER_EFFICIENT] = [1, 2, 4];

/**
 * What a device can play: one character for each of `VIDEO_CLASSES`, `-` or the sum of the values above. Devices that play
 * the same have the same text, so that few texts stand for many devices.
 */
export const encodeDecoders = (videos: readonly VideoCapability[]): string =>
  VIDEO_CLASSES.map((each) => {
    const found = videos.find((video) => isOfClass(video, each));
    return found ? String(flagsOf(found)) : UNKNOWN;
  }).join('');

/** The classes that the text knows. */
export const decodeDecoders = (text: string): VideoCapability[] =>
  VIDEO_CLASSES.flatMap((each, index) => {
    const flags = flagsAt(text, index);
    return flags === null
      ? []
      : [
          {
            ...each,
            supported: (flags & SUPPORTED) > 0,
            smooth: (flags & SMOOTH) > 0,
            power_efficient: (flags & POWER_EFFICIENT) > 0,
          },
        ];
  });

const isMissing = (flags: number): boolean => (flags & SUPPORTED) === 0;

/** What a device does with a video, as far as is known; null: it plays it well, or nothing is known. */
export function problemOf(text: string, { exceeds, judgedBy, alike }: VideoDemand): DecoderProblem | null {
  const flagsOfClasses = (indexes: readonly number[]) =>
    indexes.flatMap((index) => flagsAt(text, index) ?? []);
  const [known, needed] = [flagsOfClasses(alike), flagsOfClasses(judgedBy)];
  // Without the codec at all the size does not matter.
  const lacksCodec = known.length > 0 && known.every(isMissing);
  if (lacksCodec || needed.some(isMissing) || (exceeds && known.length > 0)) {
    return 'cannot_decode';
  }
  return needed.some((flags) => (flags & SMOOTH) === 0) ? 'not_smooth' : null;
}

function flagsAt(text: string, index: number): number | null {
  const character = text[index] ?? UNKNOWN;
  return character === UNKNOWN ? null : Number(character);
}

const flagsOf = ({ supported, smooth, power_efficient }: VideoCapability): number =>
  supported ? SUPPORTED + (smooth ? SMOOTH : 0) + (power_efficient ? POWER_EFFICIENT : 0) : 0;

const isOfClass = (video: VideoCapability, each: VideoClass): boolean =>
  video.codec === each.codec &&
  video.bit_depth === each.bit_depth &&
  video.width === each.width &&
  video.height === each.height &&
  video.frame_rate === each.frame_rate;

import { VIDEO_CLASSES } from '@placard/protocol';
import { expect, test } from 'vitest';
import { playsCopyBetter } from './content-rendition.ts';
import { encodeDecoders } from './decoders.ts';
import { demandsOfRendition, renditionKindOf } from './renditions.ts';

const videoOf = (width: number, height: number, frame_rate: number | null = 25, codec = 'avc1.640028') => ({
  type: 'video' as const,
  codec,
  width,
  height,
  frame_rate,
});
/** What a device reports that decodes nothing but H.264 in these classes of 8 bits. */
const decodersOf = (plays: (each: (typeof VIDEO_CLASSES)[number]) => boolean) =>
  encodeDecoders(
    VIDEO_CLASSES.map((each) => {
      const supported = each.codec === 'h264' && each.bit_depth === 8 && plays(each);
      return { ...each, supported, smooth: supported, power_efficient: supported };
    }),
  );
const FULL_HD = decodersOf(({ width, frame_rate }) => width === 1920 && frame_rate === 30);
const ALL = decodersOf(() => true);

test.each([
  [1920, 1080, 30],
  [1080, 1920, 25],
  [1920, 1088, 29.97],
  [640, 360, 24],
  [1920, 1080, null],
])('of H.264 with %d × %d and %s frames a second no copy plays on more screens', (width, height, rate) => {
  expect(renditionKindOf(videoOf(width, height, rate))).toBeNull();
});

test.each([
  [2560, 1440, 25, false],
  [3840, 1080, 25, false],
  [3440, 1440, 25, false],
  [1920, 1200, 25, false],
  [1920, 1080, 48, false],
  [3840, 2160, 30, false],
  [7680, 4320, 30, true],
  [1920, 1080, 120, true],
])(
  'of H.264 with %d × %d and %d frames a second a copy plays where no more than full HD does',
  (width, height, rate, isBetterEverywhere) => {
    const video = videoOf(width, height, rate);
    expect(renditionKindOf(video)).toBe('h264_1080p30');
    const demands = demandsOfRendition(video)!;
    expect(playsCopyBetter(FULL_HD, demands)).toBe(true);
    expect(playsCopyBetter(ALL, demands), 'on a screen that plays all classes').toBe(isBetterEverywhere);
  },
);

test('a small video with 60 frames a second needs no copy with 30', () => {
  expect(renditionKindOf(videoOf(1280, 720, 60))).toBeNull();
});

import { VIDEO_CLASSES } from '@placard/protocol';
import { expect, test } from 'vitest';
import { decodeDecoders, encodeDecoders, problemOf } from './decoders.ts';

const well = { supported: true, smooth: true, power_efficient: true };
const unknownClass = { codec: 'h266', bit_depth: 12, width: 7680, height: 4320, frame_rate: 120, ...well };

test('what a device can play is stored as one character for each class', () => {
  const videos = [
    { ...VIDEO_CLASSES[0]!, ...well },
    { ...VIDEO_CLASSES[1]!, supported: true, smooth: true, power_efficient: false },
    { ...VIDEO_CLASSES[2]!, supported: true, smooth: false, power_efficient: true },
    { ...VIDEO_CLASSES[3]!, supported: false, smooth: false, power_efficient: false },
    unknownClass,
  ];
  const text = encodeDecoders(videos.toReversed());
  expect(text).toBe(`7350${'-'.repeat(VIDEO_CLASSES.length - 4)}`);
  expect(decodeDecoders(text)).toEqual(videos.slice(0, 4));
});

const alike = [0, 1, 2, 3];

const problem = (text: string, ...judgedBy: number[]) =>
  problemOf(text, { index: judgedBy.at(-1) ?? 0, exceeds: false, judgedBy, alike });

test('a device lacks what it reports of the classes that a video is judged by, or of all of its codec', () => {
  expect(problem('7350', 0, 1)).toBeNull();
  expect(problem('7350', 0, 1, 2)).toBe('not_smooth');
  expect(problem('7310', 0, 2)).toBe('not_smooth');
  expect(problem('7350', 0, 1, 2, 3)).toBe('cannot_decode');
  expect(problem('7350')).toBeNull();
  expect(problem('0000'), 'whatever its size').toBe('cannot_decode');
  expect(problem('0003'), 'small ones may work').toBeNull();
  expect(problem('----', 0, 1, 2, 3)).toBeNull();
});

test('a video that exceeds all classes is not known to play on a device that has reported its codec', () => {
  const demand = { index: 3, exceeds: true, judgedBy: alike, alike };
  expect(problemOf('7777', demand)).toBe('cannot_decode');
  expect(problemOf('3---', demand)).toBe('cannot_decode');
  expect(problemOf('----', demand)).toBeNull();
});

test('nothing is known of classes that are newer than the text', () => {
  expect(problemOf('7', { index: 1, exceeds: false, judgedBy: [1], alike: [0, 1] })).toBeNull();
  expect(decodeDecoders('0')).toHaveLength(1);
});

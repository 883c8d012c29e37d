import { VIDEO_CLASSES } from '@placard/protocol';
import { expect, test } from 'vitest';
import { findDemand } from './video-classes.ts';

const demandOf = (codec: string | null, width = 1920, height = 1080, frame_rate: number | null = 25) =>
  findDemand({ codec, width, height, frame_rate });
/** The class that a video fits into, and by how many it is judged. */
const classOf = (...video: Parameters<typeof demandOf>) => {
  const demand = demandOf(...video);
  return (
    demand &&
    `${Object.values(VIDEO_CLASSES[demand.index]!).join(' ')}, ${demand.judgedBy.length}${demand.exceeds ? ', exceeded' : ''}`
  );
};

test.each([
  ['avc1.42001f', 'h264 8 1920 1080 30, 1'],
  ['avc1.640028', 'h264 8 1920 1080 30, 1'],
  ['avc1.6e0028', 'h264 10 1920 1080 30, 1'],
  ['hvc1.1.6.L120.90', 'hevc 8 1920 1080 30, 1'],
  ['hev1.2.4.L120.B0', 'hevc 10 1920 1080 30, 1'],
  ['vp09.00.40.08', 'vp9 8 1920 1080 30, 1'],
  ['vp09.02.40.10.01.09.16.09.00', 'vp9 10 1920 1080 30, 1'],
  ['av01.0.08M.08', 'av1 8 1920 1080 30, 1'],
  ['av01.0.08M.10.0.110', 'av1 10 1920 1080 30, 1'],
])('%s is %s', (codec, expected) => {
  expect(classOf(codec)).toBe(expected);
});

test.each([
  '',
  null,
  'vp8',
  'avc1',
  'avc1.f4001f',
  'hvc1.4.10.L120',
  'vp09.01.40.08',
  'av01.1.08M.08',
  'av01.0.08M.12',
])('%s has no class', (codec) => {
  expect(classOf(codec)).toBeNull();
});

const h264 = 'avc1.640028';

test('a video is judged by the least class that it fits into', () => {
  expect(classOf(h264, 1920, 1080, 23.976)).toBe('h264 8 1920 1080 30, 1');
  expect(classOf(h264, 1080, 1920, 30.03), 'upright').toBe('h264 8 1920 1080 30, 1');
  expect(classOf(h264, 1920, 1088, 50), 'whole blocks').toBe('h264 8 1920 1080 60, 2');
  expect(classOf(h264, 1920, 1080, 48)).toBe('h264 8 1920 1080 60, 2');
  expect(classOf(h264, 1280, 720, 60), 'as many pixels a second').toBe('h264 8 1920 1080 30, 0');
  expect(classOf(h264, 3840, 2160, 30)).toBe('h264 8 3840 2160 30, 2');
  expect(classOf(h264, 2160, 3840, 59.94)).toBe('h264 8 3840 2160 60, 4');
});

test.each([
  [2560, 1440, 30],
  [3440, 1440, 60],
  [3840, 1080, 30],
  [1080, 3840, 30],
  [1920, 1200, 30],
  [4096, 2160, 60],
])('%d × %d is larger than full HD, and fits into 4K', (width, height, fast) => {
  expect(classOf(h264, width, height)).toBe('h264 8 3840 2160 30, 2');
  expect(classOf(h264, width, height, 60)).toBe(`h264 8 3840 2160 ${fast}, ${fast === 30 ? 2 : 4}`);
  expect(classOf(h264, width, height, null), 'however fast').toBe('h264 8 3840 2160 30, 2');
});

test.each([
  [7680, 4320, 25],
  [4096, 2304, 25],
  [4100, 1000, 25],
  [1920, 1080, 100],
  [1280, 720, 120],
])('%d × %d with %d frames a second fits into no class', (width, height, rate) => {
  expect(classOf(h264, width, height, rate)).toBe('h264 8 3840 2160 60, 4, exceeded');
});

test('less than the least class proves nothing about a video', () => {
  expect(classOf(h264, 640, 360)).toBe('h264 8 1920 1080 30, 0');
  expect(classOf(h264, 1920, 800)).toBe('h264 8 1920 1080 30, 0');
  expect(classOf(h264, 1920, 1080, 10)).toBe('h264 8 1920 1080 30, 0');
  expect(classOf(h264, 1920, 1080, null)).toBe('h264 8 1920 1080 30, 0');
});

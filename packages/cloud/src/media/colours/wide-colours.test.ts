import { expect, test } from 'vitest';
import { planeLayout } from './frame-planes.ts';
import { toWideColours } from './wide-colours.ts';

const HLG = { transfer: 'hlg', primaries: 'bt2020', matrix: 'bt2020', fullRange: false };

test('HDR and colours that usual screens lack are told by the frames or by the container', () => {
  const told = { transfer: 'hlg', primaries: 'bt2020', matrix: 'bt2020-ncl', fullRange: null };
  expect(toWideColours(told, {})).toEqual(HLG);
  expect(toWideColours({}, told)).toEqual(HLG);
  expect(toWideColours({ transfer: null, matrix: 'bt2020-ncl' }, { transfer: 'hlg' })).toEqual(HLG);
  expect(
    toWideColours({ transfer: 'bt709', primaries: 'smpte432', matrix: 'bt709', fullRange: true }, {}),
  ).toEqual({
    transfer: 'gamma',
    primaries: 'p3',
    matrix: 'bt709',
    fullRange: true,
  });
  expect(toWideColours({ transfer: 'pq', primaries: 'bt709', matrix: 'smpte170m' }, {})).toMatchObject({
    transfer: 'pq',
    primaries: 'bt709',
    matrix: 'bt601',
  });
});

test('usual colours, and untold ones, stay as they are', () => {
  expect(toWideColours({}, {})).toBeNull();
  expect(toWideColours({ transfer: 'bt709', primaries: 'bt709', matrix: 'bt709' }, {})).toBeNull();
  expect(toWideColours({ transfer: 'smpte170m', primaries: 'bt470bg', matrix: 'bt470bg' }, {})).toBeNull();
});

test('the frames of decoders have planes of brightness and colours', () => {
  expect(planeLayout('I420')).toEqual({ depth: 8, halfColumns: 1, halfRows: 1 });
  expect(planeLayout('I422P10')).toEqual({ depth: 10, halfColumns: 1, halfRows: 0 });
  expect(planeLayout('I444P12')).toEqual({ depth: 12, halfColumns: 0, halfRows: 0 });
  expect(['NV12', 'RGBA', 'I420A', 'I420AP10', null].map(planeLayout)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ]);
});

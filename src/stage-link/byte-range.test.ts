import { describe, expect, test } from 'vitest';
import { byteRange } from './byte-range.ts';

describe('byteRange', () => {
  test.each([
    [undefined, { kind: 'all' }],
    ['bytes=0-', { kind: 'part', start: 0, end: 99 }],
    ['bytes=10-19', { kind: 'part', start: 10, end: 19 }],
    ['bytes=90-500', { kind: 'part', start: 90, end: 99 }],
    ['bytes=-10', { kind: 'part', start: 90, end: 99 }],
    ['bytes=-500', { kind: 'part', start: 0, end: 99 }],
    ['bytes=100-', { kind: 'unsatisfiable' }],
    ['bytes=-0', { kind: 'unsatisfiable' }],
  ])('reads %s of 100 bytes', (header, expected) => {
    expect(byteRange(header, 100)).toEqual(expected);
  });

  test.each(['bytes=-', 'bytes=20-10', 'items=0-1', 'bytes=0-1,5-6', 'bytes=a-b'])(
    'ignores the unusable header %s and returns the whole file',
    (header) => {
      expect(byteRange(header, 100)).toEqual({ kind: 'all' });
    },
  );

  test('cannot satisfy any range of an empty file', () => {
    expect(byteRange('bytes=0-', 0)).toEqual({ kind: 'unsatisfiable' });
    expect(byteRange('bytes=-5', 0)).toEqual({ kind: 'unsatisfiable' });
  });
});

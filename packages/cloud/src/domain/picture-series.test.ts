import { expect, test } from 'vitest';
import { continueSeries, missingPictures } from './picture-series.ts';
import type { PictureMeasures, PictureSeries } from './picture-series.ts';

const ONE: PictureMeasures = { luminance: 100, dark: 0.1, hash: '00ff00ff00ff00ff' };
const OTHER: PictureMeasures = { luminance: 101, dark: 0.1, hash: 'f0ff00ff00ff00ff' };
const BLACK: PictureMeasures = { luminance: 0.4, dark: 0.995, hash: '0000000000000000' };
const HOUR_MS = 3_600_000;

type Picture = [PictureMeasures, string | null, 'video'?];
/** The series of pictures, one each hour unless given: how each looks, what was to be seen, and whether that is a video. */
const seriesAt = (gapMs: number, pictures: readonly Picture[]): PictureSeries => {
  let series: PictureSeries | null = null;
  for (const [index, [measures, content_id, video]] of pictures.entries()) {
    series = continueSeries(
      series,
      { ...measures, content_id, received_at: index * gapMs },
      video === 'video',
    );
  }
  return series!;
};
const seriesOf = (...pictures: Picture[]): PictureSeries => seriesAt(HOUR_MS, pictures);

test('black pictures are counted while content is to be seen, until one is not black', () => {
  expect(seriesOf([BLACK, 'a'], [BLACK, 'b'], [BLACK, 'b']).black).toBe(3);
  expect(seriesOf([BLACK, 'a'], [{ ...BLACK, dark: 0.98 }, 'a']).black).toBe(0);
  expect(seriesOf([BLACK, 'a'], [BLACK, null]).black).toBe(0);
  expect(seriesOf([BLACK, null], [BLACK, 'a']).black).toBe(1);
});

test('pictures that look alike count when they show other content, or a video', () => {
  expect(seriesOf([ONE, 'a'], [ONE, 'b'], [ONE, 'a']).frozen).toBe(3);
  expect(seriesOf([ONE, 'a', 'video'], [ONE, 'a', 'video'], [ONE, 'a', 'video']).frozen).toBe(3);
});

test('one picture that is shown for long is no fault', () => {
  expect(seriesOf([ONE, 'a'], [ONE, 'a'], [ONE, 'a']).frozen).toBe(1);
  expect(seriesOf([ONE, 'a'], [ONE, 'b'], [ONE, 'b'], [ONE, 'b']).frozen, 'what was counted stays').toBe(2);
});

test('a picture that looks different begins again, also with a small difference', () => {
  expect(seriesOf([ONE, 'a'], [ONE, 'b'], [OTHER, 'c']).frozen).toBe(1);
  expect(seriesOf([ONE, 'a'], [{ ...ONE, hash: '00ff00ff00ff00fe', luminance: 100.4 }, 'b']).frozen).toBe(2);
  expect(seriesOf([ONE, 'a'], [{ ...ONE, hash: '00ff00ff00ff00fc' }, 'b']).frozen).toBe(1);
  expect(seriesOf([ONE, 'a'], [{ ...ONE, luminance: 100.6 }, 'b']).frozen).toBe(1);
});

test('while nothing is to be seen nothing is counted', () => {
  expect(seriesOf([ONE, 'a'], [ONE, 'b'], [ONE, null]).frozen).toBe(0);
  expect(seriesOf([ONE, 'a'], [ONE, null], [ONE, 'b']).frozen).toBe(1);
});

test('pictures that are asked for one soon after the other count as one, except those that end what was counted', () => {
  const soon = (gapMs: number, ...pictures: Picture[]) => {
    const { black, frozen } = seriesAt(gapMs, pictures);
    return { black, frozen };
  };
  const film: Picture = [ONE, 'a', 'video'];
  const still: Picture[] = [film, film, film, film];
  expect(soon(20_000, ...still)).toEqual({ black: 0, frozen: 1 });
  // The first and the fourth are far enough from each other.
  expect(soon(50_000, ...still)).toEqual({ black: 0, frozen: 2 });
  expect(soon(150_000, ...still)).toEqual({ black: 0, frozen: 4 });
  expect(soon(20_000, [BLACK, 'a'], [BLACK, 'b'], [BLACK, 'a'])).toEqual({ black: 1, frozen: 1 });
  expect(soon(20_000, [BLACK, 'a'], [ONE, 'a']).black).toBe(0);

  const frozen = seriesOf(film, film);
  const next = { content_id: 'a', received_at: frozen.received_at + 20_000 };
  expect(continueSeries(frozen, { ...OTHER, ...next }, true)).toMatchObject({ ...next, frozen: 1 });
  expect(continueSeries(frozen, { ...ONE, ...next }, true)).toBe(frozen);
  expect(continueSeries(frozen, { ...ONE, ...next, content_id: null }, false).frozen).toBe(0);
});

test('a condition is met from its number of pictures on, and for a day after the last one', () => {
  const series = seriesOf([BLACK, 'a'], [BLACK, 'b']);
  const missing = (
    pictures: number,
    afterMs: number,
    type: 'screen_black' | 'screen_frozen' = 'screen_black',
  ) => missingPictures({ type, pictures, minutes: 0 }, series, series.received_at + afterMs);
  expect([missing(1, 0), missing(2, 0), missing(3, 0)]).toEqual([0, 0, 1]);
  expect([missing(2, 25 * HOUR_MS), missing(2, 25 * HOUR_MS + 1)]).toEqual([0, Infinity]);
  expect([missing(2, 0, 'screen_frozen'), missing(4, 0, 'screen_frozen')]).toEqual([0, 2]);
});

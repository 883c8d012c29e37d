import { describe, expect, test } from 'vitest';
import { hashOf, rule, sketchManifest, type ManifestSketch } from '../../../test/support/manifests.ts';
import { programmeOf } from '../playback/programme.ts';
import { addStrike, plan, type SyncView, type Trouble } from './plan.ts';

const NOON = { wallMs: Date.UTC(2026, 10, 20, 12), monoMs: 0 };
const programme = (sketch: ManifestSketch) => programmeOf(sketchManifest(sketch));
const view = (more: Partial<SyncView>): SyncView => ({
  held: null,
  target: null,
  media: new Set(),
  busy: new Set(),
  troubles: new Map(),
  lanes: 2,
  ...more,
});
const have = (...names: string[]) => new Set(names.map(hashOf));
/** Each: what has happened, and how often it was the file's own fault. */
const trouble = (...list: [string, Trouble['code'], number][]) =>
  new Map<string, Trouble>(
    list.map(([name, code, strikes]) => [
      hashOf(name),
      { code, attempts: 99, strikes: { [code]: strikes }, retryAtMono: 5_000 },
    ]),
  );
const steps = (one: SyncView, now = NOON) =>
  plan(one, now).steps.map((step) => (step.kind === 'download' ? step.asset.id.slice(6) : step.kind));

const AB = programme({ revision: 'r1', playlists: { pl: ['a', 'b'] } });
const CD = programme({ revision: 'r2', playlists: { pl: ['c', 'd', 'e'] } });

describe('what takes over when', () => {
  test('with nothing held the first verified file is enough for a first picture', () => {
    expect(steps(view({ target: AB }))).toEqual(['a', 'b']);
    expect(steps(view({ target: AB, media: have('b') }))).toEqual(['promote']);
  });

  test('with a picture up the new manifest waits until all that it shows now is verified', () => {
    expect(steps(view({ held: AB, target: CD, media: have('a', 'b', 'c', 'd') }))).toEqual(['e']);
    expect(steps(view({ held: AB, target: CD, media: have('a', 'b', 'c', 'd', 'e') }))).toEqual(['promote']);
  });

  test('files that are only shown later do not hold it up', () => {
    const later = programme({
      revision: 'r3',
      playlists: { pl: ['c'], evening: ['z'] },
      rules: [rule('r', 'evening', '18:00', '19:00')],
    });
    expect(steps(view({ held: AB, target: later, media: have('a', 'b', 'c') }))).toEqual(['promote']);
  });

  test('a file that is gone is passed over at once, a wrong one or one without room after three tries', () => {
    const base = { held: AB, target: CD, media: have('a', 'b', 'c', 'd') };
    expect(steps(view({ ...base, troubles: trouble(['e', 'asset.gone', 1]) }))).toEqual(['promote']);
    for (const code of ['asset.hash_mismatch', 'disk.full'] as const) {
      expect(steps(view({ ...base, troubles: trouble(['e', code, 2]) }))).toEqual([]);
      expect(steps(view({ ...base, troubles: trouble(['e', code, 3]) }))).toEqual(['promote']);
    }
  });

  test('what is gone stays passed over when the line breaks at the next try', () => {
    const strikes = { 'asset.gone': 1 };
    const cut: Trouble = { code: 'asset.download_failed', attempts: 2, strikes, retryAtMono: 5_000 };
    const troubles = new Map([[hashOf('e'), cut]]);
    expect(steps(view({ held: AB, target: CD, media: have('a', 'b', 'c', 'd'), troubles }))).toEqual([
      'promote',
    ]);
  });

  test('a line that is cut again and again lets no part of a playlist take over from a whole one', () => {
    const base = { held: AB, target: CD, media: have('a', 'b', 'c', 'd') };
    const cut = trouble(['e', 'asset.download_failed', 0]);
    expect(plan(view({ ...base, troubles: cut }), NOON)).toMatchObject({
      steps: [],
      blockedBy: 'asset.download_failed',
      retryAtMono: 5_000,
    });
  });

  test('a file that its server refuses for hours is not waited for any longer', () => {
    const base = { held: AB, target: CD, media: have('a', 'b', 'c', 'd') };
    const nearly = trouble(['e', 'asset.download_failed', 29]);
    expect(steps(view({ ...base, troubles: nearly }))).toEqual([]);
    const enough = trouble(['e', 'asset.download_failed', 30]);
    expect(steps(view({ ...base, troubles: enough }))).toEqual(['promote']);
  });

  test('a manifest of which nothing can be shown does not take over from one that can', () => {
    const troubles = trouble(['c', 'asset.gone', 1], ['d', 'asset.gone', 1], ['e', 'asset.gone', 1]);
    expect(plan(view({ held: AB, target: CD, media: have('a'), troubles }), NOON)).toMatchObject({
      steps: [{ kind: 'download', asset: { id: 'asset_b' } }],
    });
    expect(plan(view({ held: AB, target: CD, media: have('a', 'b'), troubles }), NOON)).toEqual({
      steps: [],
      blockedBy: 'asset.gone',
      retryAtMono: 5_000,
      missing: 3,
    });
  });

  test('a manifest that shows nothing now takes over at once', () => {
    const idle = programme({ revision: 'r4', playlists: { pl: ['z'] }, base: null });
    expect(steps(view({ held: AB, target: idle, media: have('a', 'b') }))).toEqual(['promote']);
  });
});

describe('what is downloaded', () => {
  test('first what is on now, then what the schedule needs next, then the rest', () => {
    const day = programme({
      revision: 'r5',
      playlists: { spare: ['s'], evening: ['e'], afternoon: ['p'], now: ['n'] },
      base: 'now',
      rules: [rule('r1', 'evening', '18:00', '19:00'), rule('r2', 'afternoon', '14:00', '15:00')],
    });
    expect(steps(view({ target: day, lanes: 9 }))).toEqual(['n', 'p', 'e', 's']);
  });

  test('what the picture on the wall lacks does not wait for all that is planned for later', () => {
    const target = programme({
      revision: 'r6',
      playlists: { now: ['n'], evening: ['e'] },
      rules: [rule('r1', 'evening', '18:00', '19:00')],
    });
    const held = programme({ revision: 'r7', playlists: { pl: ['a', 'b'], spare: ['s'] } });
    expect(steps(view({ target, held, media: have('b'), lanes: 9 }))).toEqual(['n', 'a', 'e', 's']);
  });

  test('no more side by side than there are lanes', () => {
    expect(steps(view({ target: CD, busy: have('c') }))).toEqual(['d']);
    expect(steps(view({ target: CD, busy: have('c', 'd') }))).toEqual([]);
  });

  test('what is held and has lost a file fetches it again', () => {
    expect(steps(view({ held: AB, media: have('a') }))).toEqual(['b']);
    expect(steps(view({ held: AB, media: have('a', 'b') }))).toEqual([]);
  });

  test('a shared file is fetched once', () => {
    const twice = programme({ playlists: { one: ['a'], two: ['a'] } });
    expect(steps(view({ target: twice, held: AB, lanes: 9 }))).toEqual(['a', 'b']);
  });

  test('a failed file waits for its time while the others go on, and only then is the plan blocked', () => {
    const troubles = trouble(['a', 'disk.full', 1]);
    expect(plan(view({ target: AB, troubles }), NOON)).toMatchObject({ blockedBy: null, retryAtMono: 5_000 });
    expect(plan(view({ target: AB, troubles, busy: have('b') }), NOON).blockedBy).toBe(null);
    const stuck = trouble(['a', 'disk.full', 1], ['b', 'disk.full', 1]);
    expect(plan(view({ target: AB, troubles: stuck }), NOON)).toMatchObject({
      steps: [],
      blockedBy: 'disk.full',
    });
    expect(steps(view({ target: AB, troubles: stuck }), { ...NOON, monoMs: 5_000 })).toEqual(['a', 'b']);
  });
});

test.each([
  ['asset.gone', { status: 404 }, true],
  ['asset.hash_mismatch', {}, true],
  ['disk.full', {}, true],
  ['asset.download_failed', { status: 503 }, true],
  ['asset.download_failed', { status: 403 }, true],
  ['asset.download_failed', { status: 429 }, false],
  ['asset.download_failed', { status: 302 }, false],
  ['asset.download_failed', { reason: 'cut off' }, false],
  ['disk.readonly', {}, false],
] as const)('%s with %o counts against the file: %s', (code, facts, counts) => {
  const before = { 'asset.gone': 2, [code]: 4 };
  expect(addStrike(before, { code, facts })).toEqual({ ...before, [code]: counts ? 5 : 4 });
});

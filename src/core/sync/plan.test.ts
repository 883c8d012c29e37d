import { describe, expect, test } from 'vitest';
import { hashOf, rule, sketchManifest, type ManifestSketch } from '../../../test/support/manifests.ts';
import { programmeOf } from '../playback/programme.ts';
import { plan, type SyncView, type Trouble } from './plan.ts';

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
const trouble = (...list: [string, Trouble['code'], number][]) =>
  new Map<string, Trouble>(
    list.map(([name, code, attempts]) => [hashOf(name), { code, attempts, retryAtMono: 5_000 }]),
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

  test('a file that is gone is passed over at once, a failing one after three tries', () => {
    const base = { held: AB, target: CD, media: have('a', 'b', 'c', 'd') };
    expect(steps(view({ ...base, troubles: trouble(['e', 'asset.gone', 1]) }))).toEqual(['promote']);
    expect(steps(view({ ...base, troubles: trouble(['e', 'asset.download_failed', 2]) }))).toEqual([]);
    expect(steps(view({ ...base, troubles: trouble(['e', 'asset.download_failed', 3]) }))).toEqual([
      'promote',
    ]);
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

import { describe, expect, test } from 'vitest';
import { sha256Of, rule, buildManifest } from '../../../test/support/manifests.ts';
import type { ManifestSpec } from '../../../test/support/manifests.ts';
import { compileManifest } from '../playback/compiled-manifest.ts';
import { countFailure, planSync } from './sync-plan.ts';
import type { SyncState, SyncProblem } from './sync-plan.ts';

const NOON = { wallMs: Date.UTC(2026, 10, 20, 12), monoMs: 0 };
const compiled = (spec: ManifestSpec) => compileManifest(buildManifest(spec));
const syncState = (more: Partial<SyncState>): SyncState => ({
  held: null,
  target: null,
  cachedMedia: new Set(),
  downloading: new Set(),
  problems: new Map(),
  maxParallelDownloads: 2,
  ...more,
});
const cachedHashes = (...names: string[]) => new Set(names.map(sha256Of));
/** Hash, fault code, and the number of failures of the file itself. */
const createProblems = (...list: [string, SyncProblem['code'], number][]) =>
  new Map<string, SyncProblem>(
    list.map(([name, code, failures]) => [
      sha256Of(name),
      { code, attempts: 99, failureCounts: { [code]: failures }, retryAtMonoMs: 5_000 },
    ]),
  );
const steps = (one: SyncState, now = NOON) =>
  planSync(one, now).steps.map((step) => (step.kind === 'download' ? step.asset.id.slice(6) : step.kind));

const AB = compiled({ revision: 'r1', playlists: { pl: ['a', 'b'] } });
const CD = compiled({ revision: 'r2', playlists: { pl: ['c', 'd', 'e'] } });

describe('promotion of the target', () => {
  test('without a held manifest one verified file is enough', () => {
    expect(steps(syncState({ target: AB }))).toEqual(['a', 'b']);
    expect(steps(syncState({ target: AB, cachedMedia: cachedHashes('b') }))).toEqual(['promote']);
  });

  test('with a held manifest the target waits until everything it shows now is verified', () => {
    expect(steps(syncState({ held: AB, target: CD, cachedMedia: cachedHashes('a', 'b', 'c', 'd') }))).toEqual(
      ['e'],
    );
    expect(
      steps(syncState({ held: AB, target: CD, cachedMedia: cachedHashes('a', 'b', 'c', 'd', 'e') })),
    ).toEqual(['promote']);
  });

  test('files that are only shown later do not delay it', () => {
    const later = compiled({
      revision: 'r3',
      playlists: { pl: ['c'], evening: ['z'] },
      rules: [rule('r', 'evening', '18:00', '19:00')],
    });
    expect(steps(syncState({ held: AB, target: later, cachedMedia: cachedHashes('a', 'b', 'c') }))).toEqual([
      'promote',
    ]);
  });

  test('a missing file is skipped at once, a corrupt one or one without disk space after three attempts', () => {
    const base = { held: AB, target: CD, cachedMedia: cachedHashes('a', 'b', 'c', 'd') };
    expect(steps(syncState({ ...base, problems: createProblems(['e', 'asset.gone', 1]) }))).toEqual([
      'promote',
    ]);
    for (const code of ['asset.hash_mismatch', 'disk.full'] as const) {
      expect(steps(syncState({ ...base, problems: createProblems(['e', code, 2]) }))).toEqual([]);
      expect(steps(syncState({ ...base, problems: createProblems(['e', code, 3]) }))).toEqual(['promote']);
    }
  });

  test('a missing file stays skipped when the next attempt fails with a network error', () => {
    const failureCounts = { 'asset.gone': 1 };
    const cut: SyncProblem = {
      code: 'asset.download_failed',
      attempts: 2,
      failureCounts,
      retryAtMonoMs: 5_000,
    };
    const problems = new Map([[sha256Of('e'), cut]]);
    expect(
      steps(syncState({ held: AB, target: CD, cachedMedia: cachedHashes('a', 'b', 'c', 'd'), problems })),
    ).toEqual(['promote']);
  });

  test('repeated network errors never promote an incomplete target over a complete held manifest', () => {
    const base = { held: AB, target: CD, cachedMedia: cachedHashes('a', 'b', 'c', 'd') };
    const cut = createProblems(['e', 'asset.download_failed', 0]);
    expect(planSync(syncState({ ...base, problems: cut }), NOON)).toMatchObject({
      steps: [],
      blockedBy: 'asset.download_failed',
      retryAtMonoMs: 5_000,
    });
  });

  test('a file that its server rejects for hours no longer delays the target', () => {
    const base = { held: AB, target: CD, cachedMedia: cachedHashes('a', 'b', 'c', 'd') };
    const nearly = createProblems(['e', 'asset.download_failed', 29]);
    expect(steps(syncState({ ...base, problems: nearly }))).toEqual([]);
    const enough = createProblems(['e', 'asset.download_failed', 30]);
    expect(steps(syncState({ ...base, problems: enough }))).toEqual(['promote']);
  });

  test('a target with nothing to show is not promoted over a held manifest that has something', () => {
    const problems = createProblems(['c', 'asset.gone', 1], ['d', 'asset.gone', 1], ['e', 'asset.gone', 1]);
    expect(
      planSync(syncState({ held: AB, target: CD, cachedMedia: cachedHashes('a'), problems }), NOON),
    ).toMatchObject({
      steps: [{ kind: 'download', asset: { id: 'asset_b' } }],
    });
    expect(
      planSync(syncState({ held: AB, target: CD, cachedMedia: cachedHashes('a', 'b'), problems }), NOON),
    ).toEqual({
      steps: [],
      blockedBy: 'asset.gone',
      retryAtMonoMs: 5_000,
      missingCount: 3,
    });
  });

  test('a target that shows nothing now is promoted at once', () => {
    const idle = compiled({ revision: 'r4', playlists: { pl: ['z'] }, basePlaylistId: null });
    expect(steps(syncState({ held: AB, target: idle, cachedMedia: cachedHashes('a', 'b') }))).toEqual([
      'promote',
    ]);
  });
});

describe('downloads', () => {
  test('files shown now come first, then those that the schedule needs next, then the rest', () => {
    const day = compiled({
      revision: 'r5',
      playlists: { spare: ['s'], evening: ['e'], afternoon: ['p'], now: ['n'] },
      basePlaylistId: 'now',
      rules: [rule('r1', 'evening', '18:00', '19:00'), rule('r2', 'afternoon', '14:00', '15:00')],
    });
    expect(steps(syncState({ target: day, maxParallelDownloads: 9 }))).toEqual(['n', 'p', 'e', 's']);
  });

  test('missing files of the held manifest come before files for later', () => {
    const target = compiled({
      revision: 'r6',
      playlists: { now: ['n'], evening: ['e'] },
      rules: [rule('r1', 'evening', '18:00', '19:00')],
    });
    const held = compiled({ revision: 'r7', playlists: { pl: ['a', 'b'], spare: ['s'] } });
    expect(
      steps(syncState({ target, held, cachedMedia: cachedHashes('b'), maxParallelDownloads: 9 })),
    ).toEqual(['n', 'a', 'e', 's']);
  });

  test('the number of parallel downloads is limited', () => {
    expect(steps(syncState({ target: CD, downloading: cachedHashes('c') }))).toEqual(['d']);
    expect(steps(syncState({ target: CD, downloading: cachedHashes('c', 'd') }))).toEqual([]);
  });

  test('a missing file of the held manifest is downloaded again', () => {
    expect(steps(syncState({ held: AB, cachedMedia: cachedHashes('a') }))).toEqual(['b']);
    expect(steps(syncState({ held: AB, cachedMedia: cachedHashes('a', 'b') }))).toEqual([]);
  });

  test('a shared file is downloaded once', () => {
    const twice = compiled({ playlists: { one: ['a'], two: ['a'] } });
    expect(steps(syncState({ target: twice, held: AB, maxParallelDownloads: 9 }))).toEqual(['a', 'b']);
  });

  test('a failed file waits for its retry while others continue; the plan is blocked only when nothing else is left', () => {
    const problems = createProblems(['a', 'disk.full', 1]);
    expect(planSync(syncState({ target: AB, problems }), NOON)).toMatchObject({
      blockedBy: null,
      retryAtMonoMs: 5_000,
    });
    expect(
      planSync(syncState({ target: AB, problems, downloading: cachedHashes('b') }), NOON).blockedBy,
    ).toBe(null);
    const stuck = createProblems(['a', 'disk.full', 1], ['b', 'disk.full', 1]);
    expect(planSync(syncState({ target: AB, problems: stuck }), NOON)).toMatchObject({
      steps: [],
      blockedBy: 'disk.full',
    });
    expect(steps(syncState({ target: AB, problems: stuck }), { ...NOON, monoMs: 5_000 })).toEqual(['a', 'b']);
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
] as const)('%s with %o counts against the file: %s', (code, details, counts) => {
  const before = { 'asset.gone': 2, [code]: 4 };
  expect(countFailure(before, { code, details })).toEqual({ ...before, [code]: counts ? 5 : 4 });
});

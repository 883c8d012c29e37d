import { expect, test } from 'vitest';
import type { HealthTotals } from './device-health.ts';
import type { ComparedDevice } from './rollout-comparison.ts';
import { tabulateKinds } from './rollout-table.ts';

const DAY = 24 * 60;

const totals = (days: number, perDay: number, pictures = 0): HealthTotals => ({
  minutes: days * DAY,
  faults: days * perDay,
  frames: days * 1000,
  dropped: days * perDay,
  countedMinutes: days * DAY,
  starts: days * perDay,
  pictures,
  logMs: pictures * Math.log(2000),
});

const devices = (count: number, kind: string, isTold: boolean, perDay: number): ComparedDevice[] =>
  Array.from({ length: count }, () => ({
    kind,
    isTold,
    isSilent: false,
    health: { before: totals(7, 1, 1), after: totals(2, perDay) },
  }));

test('each kind with updated devices has what they and the others report, as far as it is reported', () => {
  const silent = { kind: 'pi4', isTold: true, isSilent: true, health: null };
  const table = tabulateKinds([
    ...devices(2, 'nuc', true, 1),
    ...devices(10, 'nuc', false, 1),
    ...devices(3, 'pi4', true, 4),
    silent,
    ...devices(20, 'pi4', false, 2),
    ...devices(30, 'pi5', false, 1),
  ]);
  expect(table.map(({ kind, updated, others }) => [kind, updated, others])).toEqual([
    ['pi4', 3, 20],
    ['nuc', 2, 10],
  ]);
  expect(table[0]?.measures).toEqual(
    // No start was reported since.
    ['restarts', 'faults', 'dropped_frames'].map((measure) => {
      const share = measure === 'dropped_frames' ? 1 / 1000 : 1;
      return { measure, before: share, after: 4 * share, others_before: share, others_after: 2 * share };
    }),
  );
});

test('kinds of which there are few are one, without values when they are few together', () => {
  const few = [...devices(1, 'a', true, 1), ...devices(4, 'a', false, 1), ...devices(1, 'b', true, 1)];
  expect(tabulateKinds(few)).toEqual([
    { kind: 'rare boards', model: null, shell: null, updated: 2, others: 4, measures: [] },
  ]);
  const enough = [...few, ...devices(6, 'b', false, 1)];
  expect(tabulateKinds(enough)).toMatchObject([{ kind: 'rare boards', updated: 2, others: 10 }]);
  expect(tabulateKinds(enough)[0]?.measures.length).toBeGreaterThan(0);
});

import { describe, expect, test } from 'vitest';
import type { HealthTotals } from './device-health.ts';
import { describeCause } from './rollout-cause.ts';
import { countCompared, findBroken, findRegression as findRegressionIn } from './rollout-comparison.ts';
import type { ComparedDevice, Regression } from './rollout-comparison.ts';

/** As a week has. */
const LOOKS = 13;
const findRegression = (devices: readonly ComparedDevice[]) => findRegressionIn(devices, LOOKS);

const DAY = 24 * 60;
const FRAMES = 1_000_000;

interface Reported {
  days: number;
  restarts?: number;
  faults?: number;
  dropped?: number;
  startMs?: number | null;
}

const totals = ({ days, restarts = 0, faults = 0, dropped = 0, startMs = 2000 }: Reported): HealthTotals => ({
  minutes: days * DAY,
  faults,
  frames: days * FRAMES,
  dropped,
  countedMinutes: days * DAY,
  starts: restarts,
  pictures: startMs === null ? 0 : 1,
  logMs: startMs === null ? 0 : Math.log(startMs),
});

const device = (
  kind: string,
  isTold: boolean,
  after: Omit<Reported, 'days'>,
  more: Partial<ComparedDevice> = {},
): ComparedDevice => ({
  kind,
  isTold,
  isSilent: false,
  health: {
    before: totals({ days: 10, restarts: 1, faults: 1, dropped: 1000 }),
    after: totals({ days: 3, ...after }),
  },
  ...more,
});

const repeat = (count: number, make: (index: number) => ComparedDevice): ComparedDevice[] =>
  Array.from({ length: count }, (_each, index) => make(index));
/** What healthy devices report: most have no restart and no fault in three days. */
const healthy = (index: number) => ({
  restarts: index % 4 === 0 ? 1 : 0,
  faults: index % 3 === 0 ? 1 : 0,
  dropped: 280 + (index % 40),
  startMs: 1900 + (index % 20) * 10,
});
const others = (kind = 'pi4') => repeat(500, (index) => device(kind, false, healthy(index)));

const bad = (isTold: boolean) => (index: number) =>
  device('pi4', isTold, { ...healthy(index), faults: 9, restarts: 5, startMs: 9000, dropped: 9000 });
const silent = (isTold: boolean) => (index: number) =>
  device('pi4', isTold, healthy(index), { isSilent: index % 3 > 0 });

const sentenceOf = (found: Regression | null) => found && describeCause(found.cause, '1.4.0');

const quiet = (isTold: boolean) => () => device('pi4', isTold, { restarts: 0, faults: 0, dropped: 0 });

const noFrames = (all: Readonly<HealthTotals>): HealthTotals => ({ ...all, frames: 0, dropped: 0 });
/** As of a screen that shows pictures alone. */
const withoutFrames = ({ health, ...rest }: ComparedDevice): ComparedDevice => ({
  ...rest,
  health: health && { before: noFrames(health.before), after: noFrames(health.after) },
});
const withPast = (days: number, isTold: boolean) => (index: number) => {
  const { health, ...rest } = device('pi4', isTold, { ...healthy(index), startMs: null });
  const before = totals({ days, restarts: 1, startMs: null });
  return { ...rest, health: health && { before, after: health.after } };
};

const fleetWithPast = (days: number, othersDays = days) => [
  ...repeat(20, withPast(days, true)),
  ...repeat(200, withPast(othersDays, false)),
];

describe('a rollout goes on', () => {
  test('when updated devices are like the others', () => {
    expect(
      findRegression([...repeat(40, (index) => device('pi4', true, healthy(index))), ...others()]),
    ).toBeNull();
  });

  test('when all have become worse in the same time', () => {
    expect(findRegression([...repeat(40, bad(true)), ...repeat(500, bad(false))])).toBeNull();
  });

  test('when one device is bad, however bad', () => {
    const updated = repeat(40, (index) => device('pi4', true, healthy(index)));
    updated[0] = device('pi4', true, { restarts: 100, faults: 100, dropped: FRAMES, startMs: 600_000 });
    expect(findRegression([...updated, ...others()])).toBeNull();
  });

  test('when nothing has happened after the update, whatever happened before', () => {
    expect(findRegression([...repeat(40, quiet(true)), ...repeat(500, quiet(false))])).toBeNull();
  });

  test('when it is worse by less than half', () => {
    const updated = repeat(200, (index) => device('pi4', true, { ...healthy(index), startMs: 2600 }));
    expect(findRegression([...updated, ...others()])).toBeNull();
  });

  test('when a measure is reported by none of the updated devices', () => {
    const updated = repeat(40, (index) => device('pi4', true, { ...healthy(index), startMs: null }));
    expect(findRegression([...updated, ...others()])).toBeNull();
  });

  test('when as many of the others are silent, as at night', () => {
    expect(findRegression([...repeat(40, silent(true)), ...repeat(500, silent(false))])).toBeNull();
  });
});

describe('a rollout is stopped', () => {
  test.each([
    [
      'restarts',
      { restarts: 3 },
      /^Restarts went from 0\.1 per day to 1 per day \(of 40 updated screens\); on 500 others/,
    ],
    ['faults', { faults: 4 }, /^Faults went from 0\.1 per day to 1\.3 per day/],
    ['dropped_frames', { dropped: 900 }, /^Dropped frames went from 0\.01 % to 0\.03 %/],
    ['start_time', { startMs: 4000 }, /^The time of a start went from 2 s to 4 s/],
  ])('by %s, with the values in a sentence', (measure, worse, reason) => {
    const updated = repeat(40, (index) => device('pi4', true, { ...healthy(index), ...worse }));
    const found = findRegression([...updated, ...others()]);
    expect(found).toMatchObject({ cause: { type: 'worse', measure, kind: null } });
    expect(sentenceOf(found)).toMatch(reason);
  });

  test('by one kind of several, which it names', () => {
    const found = findRegression([
      ...repeat(15, (index) => device('nuc', true, { ...healthy(index), startMs: 5000 })),
      ...others('nuc'),
      ...repeat(300, (index) => device('pi4', true, healthy(index))),
      ...others('pi4'),
    ]);
    expect(found).toMatchObject({ cause: { measure: 'start_time', kind: 'nuc' } });
    expect(sentenceOf(found)).toContain(
      'The time of a start on nuc went from 2 s to 5 s (of 15 updated screens)',
    );
  });

  test('by devices that do not come back', () => {
    const found = findRegression([
      ...repeat(10, (index) =>
        device('pi4', true, healthy(index), index < 6 ? { isSilent: true, health: null } : {}),
      ),
      ...others(),
    ]);
    expect(found).toMatchObject({ cause: { type: 'not_coming_back' } });
    expect(sentenceOf(found)).toBe(
      '6 of 10 screens did not come back after they were told to update; of 500 that were not told, 0 are silent.',
    );
  });

  test('by updates that could not be installed or did not become healthy, of all or of one kind', () => {
    expect(sentenceOf(findBroken([{ kind: 'pi4', tried: 20, broken: 4 }]))).toBe(
      'On 4 of 20 screens the new version could not be installed or did not become healthy; they run the version before.',
    );
    expect(findBroken([{ kind: 'pi4', tried: 20, broken: 1 }])).toBeNull();
    expect(findBroken([{ kind: 'pi4', tried: 2, broken: 2 }])).not.toBeNull();
    const oneKind = [
      { kind: 'pi4', tried: 1000, broken: 5 },
      { kind: 'nuc', tried: 10, broken: 5 },
    ];
    expect(findBroken(oneKind)).toMatchObject({ cause: { type: 'broken_update', kind: 'nuc' } });
  });
});

/** How many of 40 updated devices have to start slowly, until it is found. */
function leastFound(looks: number): number {
  for (let worse = 0; worse <= 40; worse += 1) {
    const updated = repeat(40, (index) =>
      device('pi4', true, { ...healthy(index), startMs: index < worse ? 9000 : 2000 }),
    );
    if (findRegressionIn([...updated, ...others()], looks)) {
      return worse;
    }
  }
  return Infinity;
}

test('the more looks a ring has, the more devices have to be worse', () => {
  const least = [1, 100, 10_000].map(leastFound);
  expect(least).toEqual(least.toSorted((a, b) => a - b));
  expect(new Set(least).size).toBe(3);
  expect(least.at(-1)).toBeLessThan(40);
});

test('kinds of which there are too few to be compared are one', () => {
  const devices = [
    ...repeat(10, (index) => device(`board ${index}`, true, { ...healthy(index), restarts: 20 })),
    ...repeat(200, (index) => device(`board ${index}`, false, healthy(index))),
  ];
  expect(countCompared(devices)).toBe(10);
  expect(findRegression(devices)).toMatchObject({ cause: { measure: 'restarts' } });
  expect(countCompared(devices.slice(0, 15))).toBe(0);
});

test('a device is compared when it has reported enough of some measure, before and after', () => {
  expect(countCompared(fleetWithPast(6 / 24))).toBe(20);
  // Frames are not asked for hours: without them nothing is left.
  const hours = (count: number) => fleetWithPast(count / 24).map(withoutFrames);
  expect(countCompared(hours(6))).toBe(20);
  expect(countCompared(hours(5))).toBe(0);
  expect(countCompared(fleetWithPast(7, 5 / 24).map(withoutFrames)), 'the others count as well').toBe(0);
  expect(countCompared([])).toBe(0);
});

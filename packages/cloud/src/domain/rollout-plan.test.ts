import { expect, test } from 'vitest';
import { NO_TOTALS } from './device-health.ts';
import type { HealthTotals } from './device-health.ts';
import type { ComparedDevice } from './rollout-comparison.ts';
import { kindFields } from './rollout-kind.ts';
import { decideStep, dueLooks, lookHours } from './rollout-plan.ts';
import type { RingCounts, RingState } from './rollout-plan.ts';

const HOUR_MS = 3_600_000;
const ring: RingState = {
  toldAtMs: 0,
  observedFromMs: null,
  looks: 0,
  compared: 0,
  holdHours: 24,
  isLast: false,
};
const observed: RingState = { ...ring, observedFromMs: 0 };
const atEnd: RingState = { ...observed, looks: 7, compared: 8 };
const counts: RingCounts = { chosen: 10, waiting: 0, told: 1, failed: 1, alive: 8 };
const unread = () => Promise.reject(new Error('was read although no look is due'));
const decide = (
  state: RingState,
  hours: number,
  more: Partial<RingCounts> = {},
  compare: () => Promise<readonly ComparedDevice[]> = unread,
) => decideStep(state, { ...counts, ...more }, null, hours * HOUR_MS, compare);

const totals: HealthTotals = {
  minutes: 10_000,
  faults: 10,
  frames: 1e6,
  dropped: 100,
  countedMinutes: 10_000,
  starts: 3,
  pictures: 3,
  logMs: 24,
};
const device = (isTold: boolean, isSilent = false): ComparedDevice => ({
  kind: 'pi4',
  isTold,
  isSilent,
  health: isSilent ? null : { before: totals, after: totals },
});
const fleet = (isSilent: boolean) => async () => [
  ...Array.from({ length: 10 }, () => device(true, isSilent)),
  ...Array.from({ length: 200 }, () => device(false)),
];

test('devices are compared from an hour after the last was told, once most have answered', async () => {
  expect(await decide(ring, 0.9)).toEqual({ type: 'wait' });
  expect(await decide(ring, 1)).toEqual({ type: 'observe' });
  expect(await decide(ring, 1, { waiting: 1 })).toEqual({ type: 'wait' });
  expect(await decide(ring, 1, { told: 3 })).toEqual({ type: 'wait' });
  expect(await decide(ring, 24, { told: 3 })).toEqual({ type: 'observe' });
});

test('they are compared more and more seldom, and at the end of the hold', () => {
  const looksAt = (hours: number) => dueLooks(0, 24, hours * HOUR_MS);
  expect([0, 0.9, 1, 3, 4, 8, 16, 23, 24, 100].map(looksAt)).toEqual([1, 1, 2, 3, 4, 5, 6, 6, 7, 7]);
  expect(dueLooks(0, 1, HOUR_MS)).toBe(2);
});

test.each([
  [1, 2],
  [24, 7],
  [168, 13],
  [336, 13],
  [337, 14],
  [720, 14],
])('a hold of %i hours has %i looks, all of which are due in the end', (holdHours, looks) => {
  expect(lookHours(holdHours)).toHaveLength(looks);
  expect(dueLooks(0, holdHours, holdHours * HOUR_MS)).toBe(looks);
});

/** 40 updated devices and 300 others, of which some of the updated ones start slowly. */
const fleetWith = (slow: number) => async () =>
  Array.from({ length: 340 }, (_each, index) => {
    const times = index < slow ? 4 : 1 + (index % 20) / 100;
    const after = { ...totals, logMs: totals.logMs + 3 * Math.log(times) };
    return { ...device(index < 40), health: { before: totals, after } };
  });
async function leastFound(holdHours: number): Promise<number> {
  for (let slow = 0; slow <= 40; slow += 1) {
    const step = await decide({ ...observed, holdHours }, 1, {}, fleetWith(slow));
    if (step.type === 'stop') {
      return slow;
    }
  }
  return Infinity;
}

test('the more looks a hold has, the more devices have to be worse', async () => {
  const [inAnHour, inAMonth] = [await leastFound(1), await leastFound(720)];
  expect(inAMonth).toBeGreaterThan(inAnHour);
  expect(inAMonth).toBeLessThan(40);
});

test('devices are read when a look is due, and not otherwise', async () => {
  expect(await decide(observed, 1, {}, fleet(false))).toEqual({ type: 'looked', looks: 2, compared: 10 });
  expect(await decide({ ...observed, looks: 2 }, 1)).toEqual({ type: 'wait' });
});

test('the next ring begins after the hold', async () => {
  expect(await decide(atEnd, 24)).toEqual({ type: 'next_ring' });
});

test('with too few devices on the version a person decides, but not before two more days', async () => {
  const few = { failed: 4, told: 1, alive: 5 };
  expect(await decide(atEnd, 24, few)).toEqual({ type: 'wait' });
  expect(await decide(atEnd, 24 + 48, few)).toEqual({
    type: 'hold',
    cause: { type: 'too_few_updated', chosen: 10, ...few },
  });
});

test('when half have failed a person decides at once, after all were told', async () => {
  const half = { failed: 5, told: 3, alive: 2 };
  expect(await decide(ring, 0, { ...half, told: 2, waiting: 1 })).toEqual({ type: 'wait' });
  const hold = { type: 'hold', cause: { type: 'too_few_updated', chosen: 10, ...half } };
  expect(await decide(ring, 0, half)).toEqual(hold);
  expect(await decide(observed, 0, half)).toEqual(hold);
  expect(await decide({ ...ring, isLast: true }, 0, half), 'none follows').toEqual({ type: 'wait' });
});

test('a ring of which nothing could be compared is held', async () => {
  // An hour before it, a new site; pictures alone.
  const before = { ...NO_TOTALS, minutes: 60, countedMinutes: 60 };
  const after = { ...NO_TOTALS, minutes: 10_000, faults: 1, countedMinutes: 10_000, starts: 1 };
  const newSite = async () => (await fleet(false)()).map((each) => ({ ...each, health: { before, after } }));
  expect(await decide(observed, 24, {}, newSite)).toEqual({ type: 'looked', looks: 7, compared: 0 });
  expect(await decide({ ...atEnd, compared: 0 }, 24)).toMatchObject({
    type: 'hold',
    cause: { type: 'nothing_compared' },
  });
});

test('a ring that is worse stops it at a look; broken updates do at any time', async () => {
  expect(await decide(observed, 1, {}, fleet(true))).toMatchObject({
    type: 'stop',
    cause: { type: 'not_coming_back', told: 10, silent: 10 },
  });
  const cause = { type: 'broken_update', ...kindFields(null), answered: 2, broken: 2 } as const;
  expect(await decideStep(ring, counts, { cause, chance: 0 }, 0, unread)).toEqual({ type: 'stop', cause });
});

test('after the last ring it is finished, at the latest after the hold', async () => {
  const last = { ...ring, isLast: true };
  expect(await decide(last, 1, { told: 0 })).toEqual({ type: 'finish' });
  expect(await decide(last, 1)).toEqual({ type: 'wait' });
  expect(await decide(last, 24)).toEqual({ type: 'finish' });
  expect(await decide(last, 24, { waiting: 1 })).toEqual({ type: 'wait' });
});

test('a ring without devices is passed over', async () => {
  expect(await decide(ring, 0, { chosen: 0, told: 0, failed: 0, alive: 0 })).toEqual({ type: 'next_ring' });
});

import { expect, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { createObservation } from './observation.ts';

const STARTED = Date.UTC(2026, 10, 20);

test('devices are heard since the start, since this node leads, and since its database or process was away', async () => {
  const clock = createManualClock(STARTED);
  const database = await openTestDatabase({ clock });
  let leads = true;
  const observation = createObservation({ database, clock, isLeader: () => leads });
  const recordAfter = async (seconds: number) => {
    clock.advance(seconds * 1000);
    await observation.record();
    const sinceMs = observation.heardSinceMs();
    return sinceMs === null ? null : (sinceMs - STARTED) / 1000;
  };
  expect([await recordAfter(15), await recordAfter(45)]).toEqual([0, 0]);
  expect(await recordAfter(61), 'nothing was recorded for a minute').toBe(121);
  expect(await recordAfter(15)).toBe(121);
  leads = false;
  expect(await recordAfter(15)).toBeNull();
  leads = true;
  expect(observation.heardSinceMs(), 'it is not known since when').toBeNull();
  expect(await recordAfter(15)).toBe(166);
  expect(await database.presence.newestObserved(10)).toEqual([
    { started_at: STARTED + 166_000, ended_at: STARTED + 166_000 },
    { started_at: STARTED, ended_at: STARTED + 136_000 },
  ]);
});

import { Fault } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { createClockKeeper } from './clock-keeper.ts';

test('a disk that does not take the time is told of once each time that it begins to fail', async () => {
  const clock = createManualClock();
  const store = createMemoryStore();
  const log = createQuietLog();
  const save = store.saveLastGoodTime.bind(store);
  let full = true;
  store.saveLastGoodTime = (wallMs) => {
    if (full) throw new Fault('disk.full', 'later');
    save(wallMs);
  };
  const ending = new AbortController();
  const run = createClockKeeper({ clock, store, log }).run(ending.signal);
  const failures = () => log.events.filter((event) => event.event === 'clock.not_kept').length;
  await clock.advance(60_000);
  expect([store.readLastGoodTime(), failures()]).toEqual([null, 1]);
  full = false;
  await clock.advance(10_000);
  expect([store.readLastGoodTime(), failures()]).toEqual([clock.wall(), 1]);
  full = true;
  await clock.advance(60_000);
  expect(failures()).toBe(2);
  ending.abort();
  await run;
});

import { Fault } from '@placard/protocol';
import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { createLastGoodTimeWriter } from './last-good-time-writer.ts';

test('each series of failing writes is logged once', async () => {
  const clock = createManualClock();
  const database = createMemoryDatabase();
  const log = createRecordingLog();
  const save = database.saveLastGoodTime.bind(database);
  let full = true;
  database.saveLastGoodTime = (wallMs) => {
    if (full) {
      throw new Fault('disk.full', 'later');
    }
    save(wallMs);
  };
  const ending = new AbortController();
  const run = createLastGoodTimeWriter({ clock, database, log }).run(ending.signal);
  const failures = () => log.events.filter((event) => event.event === 'clock.save_failed').length;
  await clock.advance(60_000);
  expect([database.readLastGoodTime(), failures()]).toEqual([null, 1]);
  full = false;
  await clock.advance(10_000);
  expect([database.readLastGoodTime(), failures()]).toEqual([clock.wallMs(), 1]);
  full = true;
  await clock.advance(60_000);
  expect(failures()).toBe(2);
  ending.abort();
  await run;
});

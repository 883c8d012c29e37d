import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { createBell } from '../bell.ts';
import { createBoard } from '../board.ts';
import { createStatusLoop } from './status-loop.ts';

test('a disk that takes no status is tried again at every change, and told of once each time that it fails', async () => {
  const clock = createManualClock();
  const board = createBoard({ clock });
  const bell = createBell(clock);
  const log = createQuietLog();
  board.onChange(bell.ring);
  let full = true;
  let written = 0;
  const file = {
    async write() {
      if (full) throw new Error('ENOSPC: no space left on device, write');
      written += 1;
    },
  };
  const ending = new AbortController();
  const run = createStatusLoop({ board, bell, file, config: { server: 'https://cloud.example' }, log }).run(
    ending.signal,
  );
  const change = async (name: string) => {
    board.set({ heldRevision: name });
    await clock.advance(1_000);
  };
  const failures = () => log.events.filter((event) => event.event === 'status.not_written').length;
  for (const name of ['a', 'b', 'c']) await change(name);
  expect([written, failures()]).toEqual([0, 1]);
  full = false;
  await change('d');
  expect([written, failures()]).toEqual([1, 1]);
  full = true;
  for (const name of ['e', 'f']) await change(name);
  expect([written, failures()]).toEqual([1, 2]);
  ending.abort();
  await run;
});

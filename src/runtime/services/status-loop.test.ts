import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { createWakeup } from '../base/wakeup.ts';
import { createPlayerState } from '../base/player-state.ts';
import { createStatusLoop } from './status-loop.ts';

test('writing the status is retried at every change, and each series of failures is logged once', async () => {
  const clock = createManualClock();
  const playerState = createPlayerState({ clock });
  const wakeup = createWakeup(clock);
  const log = createRecordingLog();
  playerState.onChange(wakeup.wake);
  let full = true;
  let written = 0;
  const file = {
    async write() {
      if (full) {
        throw new Error('ENOSPC: no space left on device, write');
      }
      written += 1;
    },
  };
  const ending = new AbortController();
  const run = createStatusLoop({
    playerState,
    wakeup,
    file,
    config: { server: 'https://cloud.example' },
    log,
  }).run(ending.signal);
  const change = async (name: string) => {
    playerState.set({ heldRevision: name });
    await clock.advance(1_000);
  };
  const failures = () => log.events.filter((event) => event.event === 'status.write_failed').length;
  for (const name of ['a', 'b', 'c']) {
    await change(name);
  }
  expect([written, failures()]).toEqual([0, 1]);
  full = false;
  await change('d');
  expect([written, failures()]).toEqual([1, 1]);
  full = true;
  for (const name of ['e', 'f']) {
    await change(name);
  }
  expect([written, failures()]).toEqual([1, 2]);
  ending.abort();
  await run;
});

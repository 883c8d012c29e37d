import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { createPlayerState } from '../base/player-state.ts';
import { createPageWatchdog } from './page-watchdog.ts';

/** A watchdog whose pages are lost at the returned times, in seconds; its sleeps take `oversleep` times as long. */
function watch({ oversleep = 1 } = {}) {
  const clock = createManualClock();
  const lostAtSeconds: number[] = [];
  const startMs = clock.monoMs();
  const watchdog = createPageWatchdog({
    clock: { ...clock, sleep: (ms, signal) => clock.sleep(ms * oversleep, signal) },
    playerState: createPlayerState({ clock }),
    log: createRecordingLog(),
    onPageLost: () => lostAtSeconds.push(Math.round((clock.monoMs() - startMs) / 1000)),
  });
  const ending = new AbortController();
  const run = watchdog.run(ending.signal);
  return {
    clock,
    lostAtSeconds,
    /** Beats every second. */
    beatFor: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        watchdog.onBeat();
        await clock.advance(1_000);
      }
    },
    end: async () => {
      ending.abort();
      await run;
    },
  };
}

test('a page that stops is replaced after 15 s, and after 15 s again when ten minutes went well', async () => {
  const { clock, lostAtSeconds, beatFor, end } = watch();
  await beatFor(10);
  await clock.advance(20_000);
  await beatFor(620);
  await clock.advance(20_000);
  expect(lostAtSeconds).toEqual([24, 664]);
  await end();
});

test('a page that needs 40 s for a beat survives on an overloaded device', async () => {
  const { clock, lostAtSeconds, beatFor, end } = watch();
  for (let round = 0; round < 20; round++) {
    await beatFor(1);
    await clock.advance(40_000);
  }
  expect(lostAtSeconds).toEqual([15, 56, 112]);
  await end();
});

test('time in which the runtime did not run either does not count', async () => {
  const { clock, lostAtSeconds, beatFor, end } = watch({ oversleep: 5 });
  await beatFor(10);
  await clock.advance(95_000);
  expect(lostAtSeconds).toEqual([100]);
  await end();
});

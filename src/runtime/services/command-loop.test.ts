import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { createSeededRandom } from '../../../test/support/player-box.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { createBell } from '../bell.ts';
import { createCommandLoop, type ActEnd, type Doing } from './command-loop.ts';

const never = () => new Promise<never>(() => {});

test('what an update tells or ends with after the device was unpaired is not written down', async () => {
  const clock = createManualClock();
  const store = createMemoryStore();
  const begun: Doing[] = [];
  const ends: ((end: ActEnd) => void)[] = [];
  const loop = createCommandLoop({
    clock,
    store,
    random: createSeededRandom(),
    link: createMemoryCloud({ clock }).device('token'),
    bell: createBell(clock),
    launch: { bootId: 'boot-1', launchId: 'launch-1' },
    acts: {
      UPDATE_CHECK: (_, given) => {
        begun.push(given);
        return new Promise((resolve) => ends.push(resolve));
      },
      REFRESH: never,
      REBOOT: never,
      APP_RESTART: never,
    },
    onUnpaired: () => {},
    log: createQuietLog(),
  });
  const session = new AbortController();
  onTestFinished(() => session.abort());
  loop.accept([
    { id: 'cmd_1', command: 'UPDATE_CHECK', expires_at: new Date(clock.wall() + 60_000).toISOString() },
  ]);
  const running = loop.run(session.signal);
  await clock.advanceUntil(() => begun.length > 0, 10_000);
  session.abort();
  await running;
  store.forgetDevice();
  begun[0]?.tell({ outcome: 'downloading' });
  ends[0]?.({ stage: 'succeeded', result: {} });
  await clock.advance(1_000);
  expect(store.readCommands()).toEqual([]);
});

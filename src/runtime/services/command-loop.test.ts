import { Fault } from '@placard/protocol';
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
    uptimeSeconds: () => 60,
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

test('a report that the cloud refuses holds up no other', async () => {
  const clock = createManualClock();
  const told: string[] = [];
  const loop = createCommandLoop({
    clock,
    store: createMemoryStore(),
    random: createSeededRandom(),
    link: {
      ...createMemoryCloud({ clock }).device('token'),
      async commandStatus(id, { status }) {
        if (id === 'cmd_1') throw new Fault('cloud.refused', 'later', { status: 400 });
        told.push(`${id} ${status}`);
        return { kind: 'ok' };
      },
    },
    bell: createBell(clock),
    launch: { bootId: 'boot-1', launchId: 'launch-1' },
    uptimeSeconds: () => 60,
    acts: {
      UPDATE_CHECK: never,
      REFRESH: async () => ({ stage: 'succeeded', result: {} }),
      REBOOT: never,
      APP_RESTART: never,
    },
    onUnpaired: () => {},
    log: createQuietLog(),
  });
  const session = new AbortController();
  onTestFinished(() => session.abort());
  const expires_at = new Date(clock.wall() + 60_000).toISOString();
  loop.accept(['cmd_1', 'cmd_2'].map((id) => ({ id, command: 'REFRESH' as const, expires_at })));
  void loop.run(session.signal);
  await clock.advance(60_000);
  expect(told).toEqual(['cmd_2 acknowledged', 'cmd_2 succeeded']);
});

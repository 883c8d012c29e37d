import { Fault } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { createSeededRandom } from '../../../test/support/player-box.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import type { DeviceLink } from '../../core/ports.ts';
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

type Answer = Awaited<ReturnType<DeviceLink['commandStatus']>>;

/** A loop with two commands for a cloud that answers what is told of them as given. */
function twoCommands(answer: (id: string) => Answer) {
  const clock = createManualClock();
  const store = createMemoryStore();
  const log = createQuietLog();
  const told: string[] = [];
  const loop = createCommandLoop({
    clock,
    store,
    random: createSeededRandom(),
    link: {
      ...createMemoryCloud({ clock }).device('token'),
      async commandStatus(id, { status }) {
        told.push(`${id} ${status}`);
        return answer(id);
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
    log,
  });
  const session = new AbortController();
  onTestFinished(() => session.abort());
  const expires_at = new Date(clock.wall() + 60_000).toISOString();
  loop.accept(['cmd_1', 'cmd_2'].map((id) => ({ id, command: 'REFRESH' as const, expires_at })));
  void loop.run(session.signal);
  return { clock, store, log, told };
}

test('a status that the cloud refuses for good is told once, and its answer written to the log once', async () => {
  const { clock, store, log, told } = twoCommands((id) =>
    id === 'cmd_1' ? { kind: 'refused', status: 400, code: 'VALIDATION_ERROR' } : { kind: 'ok' },
  );
  await clock.advance(60 * 60_000);
  expect(told.toSorted()).toEqual([
    'cmd_1 acknowledged',
    'cmd_1 succeeded',
    'cmd_2 acknowledged',
    'cmd_2 succeeded',
  ]);
  const refused = log.events.filter(({ event }) => event === 'command.refused');
  expect(refused).toMatchObject([
    { facts: { command: 'cmd_1', told: 'acknowledged', status: 400, code: 'VALIDATION_ERROR' } },
    { facts: { command: 'cmd_1', told: 'succeeded', status: 400, code: 'VALIDATION_ERROR' } },
  ]);
  // Nothing keeps it in the journal for ever.
  await clock.advance(31 * 24 * 60 * 60_000);
  expect(store.readCommands()).toEqual([]);
});

test.each([
  new Fault('cloud.refused', 'later', { status: 403 }),
  new Fault('cloud.unreachable', 'later', { status: 500 }),
  new Fault('cloud.not_placard', 'later', { status: 413 }),
])(
  'a status that the cloud does not take for now holds up no other, and is told again: %s',
  async (fault) => {
    let well = false;
    const { clock, told } = twoCommands((id) => {
      if (id === 'cmd_1' && !well) throw fault;
      return { kind: 'ok' };
    });
    await clock.advance(60_000);
    expect(told.filter((one) => one.startsWith('cmd_2'))).toEqual(['cmd_2 acknowledged', 'cmd_2 succeeded']);
    well = true;
    await clock.advance(60_000);
    expect(told.at(-1)).toBe('cmd_1 succeeded');
    const before = told.length;
    await clock.advance(10 * 60_000);
    expect(told).toHaveLength(before);
  },
);

test.each([
  new Fault('cloud.unreachable', 'later', { reason: 'ETIMEDOUT' }),
  new Fault('cloud.busy', { afterMs: 5_000 }, { status: 429 }),
])('a cloud that takes nothing is not asked for each status by itself: %s', async (fault) => {
  const { clock, told } = twoCommands(() => {
    throw fault;
  });
  await clock.advance(60_000);
  expect(new Set(told.map((one) => one.split(' ')[0]))).toEqual(new Set(['cmd_1']));
});

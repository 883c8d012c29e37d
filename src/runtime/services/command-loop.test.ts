import { Fault } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import type { DeviceLink } from '../../core/ports.ts';
import { createWakeup } from '../base/wakeup.ts';
import { createCommandLoop } from './command-loop.ts';
import type { ActionResult, ActionContext } from './command-loop.ts';

const never = () => new Promise<never>(() => {});

test('progress and result of an update are not saved after the device was unpaired', async () => {
  const clock = createManualClock();
  const database = createMemoryDatabase();
  const begun: ActionContext[] = [];
  const finishers: ((end: ActionResult) => void)[] = [];
  const loop = createCommandLoop({
    clock,
    database,
    random: createSeededRandom(),
    link: createMemoryCloud({ clock }).createDeviceLink('token'),
    wakeup: createWakeup(clock),
    launch: { bootId: 'boot-1', launchId: 'launch-1' },
    uptimeSeconds: () => 60,
    actions: {
      UPDATE_CHECK: (_, given) => {
        begun.push(given);
        return new Promise((resolve) => finishers.push(resolve));
      },
      REFRESH: never,
      REBOOT: never,
      APP_RESTART: never,
      SCREENSHOT: never,
      LOGS: never,
    },
    onUnpaired: () => {},
    log: createRecordingLog(),
  });
  const session = new AbortController();
  onTestFinished(() => session.abort());
  loop.accept([
    { id: 'cmd_1', command: 'UPDATE_CHECK', expires_at: new Date(clock.wallMs() + 60_000).toISOString() },
  ]);
  const running = loop.run(session.signal);
  await clock.advanceUntil(() => begun.length > 0, 10_000);
  session.abort();
  await running;
  database.eraseDevice();
  begun[0]?.reportProgress({ outcome: 'downloading' });
  finishers[0]?.({ stage: 'succeeded', result: {} });
  await clock.advance(1_000);
  expect(database.readCommands()).toEqual([]);
});

type CommandStatusResult = Awaited<ReturnType<DeviceLink['reportCommandStatus']>>;

/** A loop with two commands and a cloud that responds to status reports as given. */
function twoCommands(answer: (id: string) => CommandStatusResult) {
  const clock = createManualClock();
  const database = createMemoryDatabase();
  const log = createRecordingLog();
  const reported: string[] = [];
  const loop = createCommandLoop({
    clock,
    database,
    random: createSeededRandom(),
    link: {
      ...createMemoryCloud({ clock }).createDeviceLink('token'),
      async reportCommandStatus(id, { status }) {
        reported.push(`${id} ${status}`);
        return answer(id);
      },
    },
    wakeup: createWakeup(clock),
    launch: { bootId: 'boot-1', launchId: 'launch-1' },
    uptimeSeconds: () => 60,
    actions: {
      UPDATE_CHECK: never,
      REFRESH: async () => ({ stage: 'succeeded', result: {} }),
      REBOOT: never,
      APP_RESTART: never,
      SCREENSHOT: never,
      LOGS: never,
    },
    onUnpaired: () => {},
    log,
  });
  const session = new AbortController();
  onTestFinished(() => session.abort());
  const expires_at = new Date(clock.wallMs() + 60_000).toISOString();
  loop.accept(['cmd_1', 'cmd_2'].map((id) => ({ id, command: 'REFRESH' as const, expires_at })));
  void loop.run(session.signal);
  return { clock, database, log, reported };
}

test('a status that the cloud refuses permanently is sent once and logged once', async () => {
  const { clock, database, log, reported } = twoCommands((id) =>
    id === 'cmd_1' ? { kind: 'refused', status: 400, code: 'VALIDATION_ERROR' } : { kind: 'ok' },
  );
  await clock.advance(60 * 60_000);
  expect(reported.toSorted()).toEqual([
    'cmd_1 acknowledged',
    'cmd_1 succeeded',
    'cmd_2 acknowledged',
    'cmd_2 succeeded',
  ]);
  const refused = log.events.filter(({ event }) => event === 'command.report_refused');
  expect(refused).toMatchObject([
    { details: { command: 'cmd_1', reported: 'acknowledged', status: 400, code: 'VALIDATION_ERROR' } },
    { details: { command: 'cmd_1', reported: 'succeeded', status: 400, code: 'VALIDATION_ERROR' } },
  ]);
  // It is deleted from the journal after the retention time.
  await clock.advance(31 * 24 * 60 * 60_000);
  expect(database.readCommands()).toEqual([]);
});

test.each([
  new Fault('cloud.refused', 'later', { status: 403 }),
  new Fault('cloud.unreachable', 'later', { status: 500 }),
  new Fault('cloud.not_placard', 'later', { status: 413 }),
])('a status that the cloud rejects temporarily blocks no other and is sent again: %s', async (fault) => {
  let isAccepting = false;
  const { clock, reported } = twoCommands((id) => {
    if (id === 'cmd_1' && !isAccepting) {
      throw fault;
    }
    return { kind: 'ok' };
  });
  await clock.advance(60_000);
  expect(reported.filter((one) => one.startsWith('cmd_2'))).toEqual([
    'cmd_2 acknowledged',
    'cmd_2 succeeded',
  ]);
  isAccepting = true;
  await clock.advance(60_000);
  expect(reported.at(-1)).toBe('cmd_1 succeeded');
  const before = reported.length;
  await clock.advance(10 * 60_000);
  expect(reported).toHaveLength(before);
});

test.each([
  new Fault('cloud.unreachable', 'later', { reason: 'ETIMEDOUT' }),
  new Fault('cloud.busy', { afterMs: 5_000 }, { status: 429 }),
])('an unavailable cloud is not called for each status: %s', async (fault) => {
  const { clock, reported } = twoCommands(() => {
    throw fault;
  });
  await clock.advance(60_000);
  expect(new Set(reported.map((one) => one.split(' ')[0]))).toEqual(new Set(['cmd_1']));
});

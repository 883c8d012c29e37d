import { describe, expect, test } from 'vitest';
import {
  finishEntry,
  nextAction,
  withProgress,
  createEntry,
  recoverEntry,
  statusToReport,
} from './journal.ts';
import type { CommandEntry } from './journal.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const UPTIME_MS = 90_000;
const RUN = { bootId: 'boot-1', launchId: 'launch-1', uptimeMs: UPTIME_MS };
const wire = (
  command: 'REBOOT' | 'REFRESH' | 'APP_RESTART' | 'UPDATE_CHECK' = 'REFRESH',
  id = 'cmd_1',
  inMs = 600_000,
) => ({
  id,
  command,
  expires_at: new Date(NOW + inMs).toISOString(),
});
const received = (...args: Parameters<typeof wire>): CommandEntry => createEntry([], wire(...args), NOW)!;
const executing = (...args: Parameters<typeof wire>): CommandEntry =>
  nextAction([received(...args)], RUN, NOW)!.entry;

describe('at most once', () => {
  test('a known command is not accepted again', () => {
    const entry = received();
    expect(createEntry([entry], wire(), NOW)).toBe(null);
    expect(createEntry([finishEntry(entry, 'succeeded', {})], wire(), NOW)).toBe(null);
  });

  test('a command is recorded with boot and launch id before it is executed', () => {
    expect(nextAction([received()], RUN, NOW)).toMatchObject({
      kind: 'execute',
      entry: { stage: 'executing', bootId: 'boot-1', launchId: 'launch-1', begunAtMs: NOW },
    });
  });

  test('an executing or finished command is never started again', () => {
    expect(nextAction([executing()], RUN, NOW)).toBe(null);
    expect(nextAction([finishEntry(executing(), 'failed', {})], RUN, NOW)).toBe(null);
  });

  test('the oldest command comes first', () => {
    expect(nextAction([received('REFRESH', 'cmd_1'), received('REBOOT', 'cmd_2')], RUN, NOW)?.entry.id).toBe(
      'cmd_1',
    );
  });
});

describe('expiry', () => {
  test('a command that had expired on arrival is recorded and fails', () => {
    const late = received('REBOOT', 'cmd_1', -1);
    expect(late.stage).toBe('received');
    expect(nextAction([late], RUN, NOW)).toMatchObject({ kind: 'write', entry: { stage: 'failed' } });
  });

  test('while the time is unconfirmed no command starts or expires', () => {
    expect(nextAction([received()], RUN, null)).toBe(null);
    expect(nextAction([received('REBOOT', 'cmd_1', -1)], RUN, null)).toBe(null);
  });

  test('a command that expires while it waits is never executed', () => {
    expect(nextAction([received()], RUN, NOW + 600_000)).toMatchObject({
      kind: 'write',
      entry: { stage: 'failed', result: { reason: 'expired' } },
    });
  });
});

describe('after a restart', () => {
  test.each([
    ['REBOOT', { bootId: 'boot-2', launchId: 'launch-2' }, 'succeeded'],
    ['REBOOT', { bootId: 'boot-1', launchId: 'launch-2' }, 'failed'],
    ['APP_RESTART', { bootId: 'boot-1', launchId: 'launch-2' }, 'succeeded'],
    ['APP_RESTART', { bootId: 'boot-1', launchId: 'launch-1' }, 'failed'],
    ['REFRESH', { bootId: 'boot-2', launchId: 'launch-2' }, 'failed'],
  ] as const)('a %s that was executing, now in %o, has %s', (command, run, stage) => {
    expect(recoverEntry(executing(command), { ...run, uptimeMs: UPTIME_MS + 1_000 }).stage).toBe(stage);
  });

  test.each(['REBOOT', 'APP_RESTART'] as const)(
    'a %s has succeeded when the uptime is shorter, although both boots have the same boot id',
    (command) => {
      expect(recoverEntry(executing(command), { ...RUN, uptimeMs: 40_000 }).stage).toBe('succeeded');
    },
  );

  test('an UPDATE_CHECK continues after a restart, because an update restarts the player', () => {
    const entry = withProgress(executing('UPDATE_CHECK'), { outcome: 'installing', to: '0.2.0' });
    expect(recoverEntry(entry, { ...RUN, bootId: 'boot-2', launchId: 'launch-2' })).toBe(entry);
  });

  test('a command that had not started is still executed', () => {
    const entry = received();
    expect(recoverEntry(entry, { ...RUN, bootId: 'boot-2', launchId: 'launch-2' })).toBe(entry);
  });
});

test('a second reboot within ten minutes is rejected, a later one is not', () => {
  const first = finishEntry(executing('REBOOT'), 'succeeded', {});
  const second = received('REBOOT', 'cmd_2');
  expect(nextAction([first, second], RUN, NOW + 599_999)).toMatchObject({
    kind: 'write',
    entry: { stage: 'failed' },
  });
  const third = received('REBOOT', 'cmd_3', 6_000_000);
  expect(nextAction([first, third], RUN, NOW + 600_000)).toMatchObject({ kind: 'execute' });
});

test.each([
  ['the execution was interrupted', finishEntry(executing('REBOOT'), 'failed', {})],
  ['the time was set back by a minute since', { ...executing('REBOOT'), begunAtMs: NOW + 60_000 }],
])('a started reboot counts as one, also when %s', (_, first) => {
  expect(nextAction([first, received('REBOOT', 'cmd_2')], RUN, NOW)).toMatchObject({
    kind: 'write',
    entry: { stage: 'failed' },
  });
});

test('a rejected reboot does not delay the next one', () => {
  const refused = finishEntry(received('REBOOT'), 'failed', {});
  expect(nextAction([refused, received('REBOOT', 'cmd_2')], RUN, NOW)).toMatchObject({ kind: 'execute' });
});

test('a reboot with an implausible time does not block reboots forever', () => {
  const future = { ...executing('REBOOT'), begunAtMs: NOW + 3_600_000 };
  expect(nextAction([future, received('REBOOT', 'cmd_2')], RUN, NOW)).toMatchObject({ kind: 'execute' });
});

test('receipt and result are reported until the cloud has acknowledged them', () => {
  const entry = received();
  expect(statusToReport(entry)).toEqual({ status: 'acknowledged' });
  expect(statusToReport({ ...entry, told: 'acknowledged' })).toBe(null);
  const done = finishEntry({ ...entry, told: 'acknowledged' }, 'succeeded', { revision: 'r' });
  expect(statusToReport(done)).toEqual({ status: 'succeeded', result: { revision: 'r' } });
  expect(statusToReport({ ...done, told: 'succeeded' })).toBe(null);
});

test('the progress of a command is reported', () => {
  const entry = withProgress(
    { ...executing('UPDATE_CHECK'), told: 'acknowledged' },
    { outcome: 'downloading' },
  );
  expect(statusToReport(entry)).toEqual({ status: 'acknowledged', result: { outcome: 'downloading' } });
  expect(statusToReport({ ...entry, told: 'acknowledged' })).toBe(null);
});

import { describe, expect, test } from 'vitest';
import { finish, nextAction, progress, receive, recover, statusOf, type CommandEntry } from './journal.ts';

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
const received = (...args: Parameters<typeof wire>): CommandEntry => receive([], wire(...args), NOW)!;
const executing = (...args: Parameters<typeof wire>): CommandEntry =>
  nextAction([received(...args)], RUN, NOW)!.entry;

describe('at most once', () => {
  test('a command that is known is not taken again', () => {
    const entry = received();
    expect(receive([entry], wire(), NOW)).toBe(null);
    expect(receive([finish(entry, 'succeeded', {})], wire(), NOW)).toBe(null);
  });

  test('it is marked with boot and launch before it acts', () => {
    expect(nextAction([received()], RUN, NOW)).toMatchObject({
      kind: 'execute',
      entry: { stage: 'executing', bootId: 'boot-1', launchId: 'launch-1', begunAtMs: NOW },
    });
  });

  test('what is executing or done is never begun again', () => {
    expect(nextAction([executing()], RUN, NOW)).toBe(null);
    expect(nextAction([finish(executing(), 'failed', {})], RUN, NOW)).toBe(null);
  });

  test('the oldest goes first', () => {
    expect(nextAction([received('REFRESH', 'cmd_1'), received('REBOOT', 'cmd_2')], RUN, NOW)?.entry.id).toBe(
      'cmd_1',
    );
  });
});

describe('expiry', () => {
  test('a command that had expired on arrival is written down, and fails', () => {
    const late = received('REBOOT', 'cmd_1', -1);
    expect(late.stage).toBe('received');
    expect(nextAction([late], RUN, NOW)).toMatchObject({ kind: 'write', entry: { stage: 'failed' } });
  });

  test('while the time is a guess nothing is begun, and nothing expires', () => {
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
  ] as const)('a %s that was acting, now in %o, has %s', (command, run, stage) => {
    expect(recover(executing(command), { ...run, uptimeMs: UPTIME_MS + 1_000 }).stage).toBe(stage);
  });

  test.each(['REBOOT', 'APP_RESTART'] as const)(
    'a %s has succeeded when the box has been up for less time, though its kernel gave both boots the same id',
    (command) => {
      expect(recover(executing(command), { ...RUN, uptimeMs: 40_000 }).stage).toBe('succeeded');
    },
  );

  test('an UPDATE_CHECK is gone on with where it was: installing a version restarts the player', () => {
    const entry = progress(executing('UPDATE_CHECK'), { outcome: 'installing', to: '0.2.0' });
    expect(recover(entry, { ...RUN, bootId: 'boot-2', launchId: 'launch-2' })).toBe(entry);
  });

  test('a command that had not begun is still to do', () => {
    const entry = received();
    expect(recover(entry, { ...RUN, bootId: 'boot-2', launchId: 'launch-2' })).toBe(entry);
  });
});

test('a second reboot within ten minutes is refused, a later one is not', () => {
  const first = finish(executing('REBOOT'), 'succeeded', {});
  const second = received('REBOOT', 'cmd_2');
  expect(nextAction([first, second], RUN, NOW + 599_999)).toMatchObject({
    kind: 'write',
    entry: { stage: 'failed' },
  });
  const third = received('REBOOT', 'cmd_3', 6_000_000);
  expect(nextAction([first, third], RUN, NOW + 600_000)).toMatchObject({ kind: 'execute' });
});

test.each([
  ['the player ended before it was done', finish(executing('REBOOT'), 'failed', {})],
  ['the time was set back by a minute since', { ...executing('REBOOT'), begunAtMs: NOW + 60_000 }],
])('a reboot that was begun counts as one, also when %s', (_, first) => {
  expect(nextAction([first, received('REBOOT', 'cmd_2')], RUN, NOW)).toMatchObject({
    kind: 'write',
    entry: { stage: 'failed' },
  });
});

test('a reboot that was refused does not put off the next one', () => {
  const refused = finish(received('REBOOT'), 'failed', {});
  expect(nextAction([refused, received('REBOOT', 'cmd_2')], RUN, NOW)).toMatchObject({ kind: 'execute' });
});

test('a reboot of a time that cannot be true puts off none for ever', () => {
  const future = { ...executing('REBOOT'), begunAtMs: NOW + 3_600_000 };
  expect(nextAction([future, received('REBOOT', 'cmd_2')], RUN, NOW)).toMatchObject({ kind: 'execute' });
});

test('the cloud is told of the receipt and of the end, each until it has confirmed', () => {
  const entry = received();
  expect(statusOf(entry)).toEqual({ status: 'acknowledged' });
  expect(statusOf({ ...entry, told: 'acknowledged' })).toBe(null);
  const done = finish({ ...entry, told: 'acknowledged' }, 'succeeded', { revision: 'r' });
  expect(statusOf(done)).toEqual({ status: 'succeeded', result: { revision: 'r' } });
  expect(statusOf({ ...done, told: 'succeeded' })).toBe(null);
});

test('the cloud is told how far a command has come', () => {
  const entry = progress({ ...executing('UPDATE_CHECK'), told: 'acknowledged' }, { outcome: 'downloading' });
  expect(statusOf(entry)).toEqual({ status: 'acknowledged', result: { outcome: 'downloading' } });
  expect(statusOf({ ...entry, told: 'acknowledged' })).toBe(null);
});

import { expect, test } from 'vitest';
import { isAffected, noteEvent } from './event-effects.ts';
import type { Changes } from './event-effects.ts';

function changesAfter(...events: { type: string; resource: string }[]) {
  const changes: Changes = new Map();
  for (const event of events) {
    noteEvent(changes, event);
  }
  return changes;
}

test('the page of a device is read again for its own events only', () => {
  const changes = changesAfter({ type: 'device.online', resource: 'dev_a' });
  expect(isAffected(changes, ['device', 'dev_a', 'commands'])).toBe(true);
  expect(isAffected(changes, ['device', 'dev_b'])).toBe(false);
});

test('a command is one of the device that its event names', () => {
  const changes = changesAfter({ type: 'command.created', resource: 'dev_a' });
  expect(isAffected(changes, ['device', 'dev_a'])).toBe(true);
  expect(isAffected(changes, ['devices', {}, 0])).toBe(false);
});

test('a status changes lists and counts, and not what screens should show', () => {
  const changes = changesAfter({ type: 'device.offline', resource: 'dev_a' });
  expect(isAffected(changes, ['devices', {}, 0])).toBe(true);
  expect(isAffected(changes, ['device-counts', 'offline'])).toBe(true);
  expect(isAffected(changes, ['timeline', {}, 0])).toBe(false);
});

test('a changed playlist may change what any screen should show', () => {
  const changes = changesAfter(
    { type: 'device.updated', resource: 'dev_a' },
    { type: 'playlist.updated', resource: 'pl_1' },
  );
  expect(isAffected(changes, ['timeline', 'device', 'dev_b'])).toBe(true);
});

test('playlists show pictures of files, which change with them', () => {
  const changes = changesAfter({ type: 'content.updated', resource: 'asset_1' });
  expect(isAffected(changes, ['content', 'asset', 'asset_1'])).toBe(true);
  expect(isAffected(changes, ['playlists', 'pl_1'])).toBe(true);
  expect(
    isAffected(changesAfter({ type: 'content.created', resource: 'asset_1' }), ['playlists', 'pl_1']),
  ).toBe(false);
});

test('an alert that is opened changes whatever shows alerts', () => {
  const changes = changesAfter({ type: 'alert.opened', resource: 'alert_1' });
  expect(isAffected(changes, ['alerts', 'open'])).toBe(true);
  expect(isAffected(changes, ['alerts', 'device', 'dev_a'])).toBe(true);
  expect(isAffected(changes, ['devices', {}, 0])).toBe(false);
});

test('a screen that is moved or removed may take its alerts with it', () => {
  const changes = changesAfter({ type: 'device.removed', resource: 'dev_a' });
  expect(isAffected(changes, ['alerts', 'open'])).toBe(true);
  expect(isAffected(changesAfter({ type: 'device.online', resource: 'dev_a' }), ['alerts', 'open'])).toBe(
    false,
  );
});

test.each(['created', 'progress', 'stopped', 'deleted'])(
  'a rollout that is %s changes whatever shows rollouts',
  (what) => {
    const changes = changesAfter({ type: `rollout.${what}`, resource: 'rollout_1' });
    expect(isAffected(changes, ['rollouts', 'newest'])).toBe(true);
    expect(isAffected(changes, ['rollouts', 'one', 'rollout_1'])).toBe(true);
    expect(isAffected(changes, ['devices', {}, 0])).toBe(false);
  },
);

test('events of types that are not known change nothing', () => {
  expect(changesAfter({ type: 'weather.changed', resource: 'x_1' }).size).toBe(0);
});

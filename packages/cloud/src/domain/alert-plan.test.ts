import { expect, test } from 'vitest';
import { RESOLVED_AFTER_MS, isEmptyPlan, planAlerts, TOGETHER_MS } from './alert-plan.ts';
import type { AlertInput, AlertPolicy, OpenAlert } from './alert-plan.ts';

const MINUTE_MS = 60_000;
const NOW_MS = 100 * MINUTE_MS;
/** A rule of ten minutes. */
const DUE_MS = 90 * MINUTE_MS;

/** Devices that meet the condition: `store/name`, or a name without a store, and since which minute. */
const matching = (devices: Record<string, number>): AlertInput['matching'] =>
  new Map(
    Object.entries(devices).map(([id, minute]) => [
      id,
      { storeId: id.includes('/') ? (id.split('/')[0] ?? null) : null, sinceMs: minute * MINUTE_MS },
    ]),
  );
const alert = (kind: OpenAlert['kind'], ref: string, devices: Record<string, number | null>): OpenAlert => ({
  id: `alert of ${ref}`,
  kind,
  ref,
  devices: new Map(Object.entries(devices)),
});

function plan(
  devices: Record<string, number>,
  {
    alerts = [],
    watched = {},
    suspects = {},
    unknown = [],
    unwatched = [],
    dueMs = DUE_MS,
    reportedUntil = Infinity,
    downMinutes = 0,
    ...policy
  }: {
    alerts?: OpenAlert[];
    watched?: Record<string, number>;
    suspects?: Record<string, number>;
    unknown?: string[];
    unwatched?: string[];
    dueMs?: number | null;
    /** The minute of which all devices have told what they have. */
    reportedUntil?: number;
    /** For so long the cloud was down between the devices. */
    downMinutes?: number;
  } & Partial<AlertPolicy> = {},
) {
  return planAlerts(
    alerts,
    {
      matching: matching(devices),
      isWatched: (id) => !unwatched.includes(id),
      isUnknown: (id) => unknown.includes(id),
      timesOf: (storeId) => ({
        dueMs: storeId === 'closed' ? null : dueMs,
        overdueMs: dueMs === null ? null : dueMs - 3 * MINUTE_MS,
        togetherUntilMs: (sinceMs) => sinceMs + TOGETHER_MS + downMinutes * MINUTE_MS,
      }),
      watched: new Map(Object.entries(watched)),
      suspects: new Map(Object.entries(suspects)),
      reportedUntilMs: reportedUntil * MINUTE_MS,
    },
    { isOne: false, maxOpen: 100, nowMs: NOW_MS, ...policy },
  );
}

test('a device that has it for long enough gets an alert, and no second one', () => {
  expect(plan({ one: 91 }).open).toEqual([]);
  expect(plan({ one: 90 }).open).toEqual([{ kind: 'device', ref: 'one', deviceIds: ['one'] }]);
  expect(plan({ one: 90 }, { dueMs: null }).open).toEqual([]);
  expect(isEmptyPlan(plan({ one: 90 }, { alerts: [alert('device', 'one', { one: null })] }))).toBe(true);
});

test('half of a store, and at least three devices, are one alert, with those that have it shortly after the first', () => {
  const devices = { 's/1': 90, 's/2': 91, 's/3': 94, 's/4': 96 };
  expect(plan(devices, { watched: { s: 6 } }).open).toEqual([
    { kind: 'store', ref: 's', deviceIds: ['s/1', 's/2', 's/3'] },
  ]);
  expect(plan(devices, { watched: { s: 7 } }).open).toEqual([
    { kind: 'device', ref: 's/1', deviceIds: ['s/1'] },
  ]);
  expect(plan({ 's/1': 90, 's/2': 90 }, { watched: { s: 2 } }).open).toMatchObject([
    { ref: 's/1' },
    { ref: 's/2' },
  ]);
});

test('each store has its own minutes', () => {
  expect(plan({ 'closed/1': 10, 's/1': 90 }, { watched: { s: 1, closed: 1 } }).open).toEqual([
    { kind: 'device', ref: 's/1', deviceIds: ['s/1'] },
  ]);
});

test('muted devices get no alert, and do not hide that those beside them are a store', () => {
  const devices = { 's/1': 90, 's/2': 90, 's/3': 90, 's/4': Infinity, 's/5': Infinity, 's/6': Infinity };
  expect(plan(devices, { watched: { s: 9 } }).open).toEqual([
    { kind: 'store', ref: 's', deviceIds: ['s/1', 's/2', 's/3'] },
  ]);
  expect(plan(devices, { watched: { s: 10 } }).open).toHaveLength(3);
});

test('devices that join later join the alert of their store, once they are due', () => {
  const alerts = [alert('store', 's', { 's/1': null })];
  const later = plan({ 's/1': 80, 's/2': 90, 's/3': 95, 't/1': 90 }, { alerts, watched: { s: 9, t: 9 } });
  expect(later).toEqual({
    open: [{ kind: 'device', ref: 't/1', deviceIds: ['t/1'] }],
    join: [{ alertId: 'alert of s', deviceIds: ['s/2'] }],
    over: [],
    resolve: [],
  });
});

test('devices with an alert of their own say nothing of the others of the store', () => {
  const alerts = [alert('device', 's/1', { 's/1': null }), alert('device', 's/2', { 's/2': null })];
  const old = { 's/1': 10, 's/2': 10 };
  expect(plan({ ...old, 's/3': 90 }, { alerts, watched: { s: 4 } }).open).toMatchObject([{ kind: 'device' }]);
  // All that were left.
  expect(plan({ ...old, 's/3': 90, 's/4': 90, 's/5': 90 }, { alerts, watched: { s: 8 } }).open).toMatchObject(
    [{ kind: 'store', deviceIds: ['s/3', 's/4', 's/5'] }],
  );
});

test('a device waits while silent ones may make it the whole store, but not for long', () => {
  const options = { watched: { s: 3 }, suspects: { s: 2 } };
  expect(plan({ 's/1': 90 }, options).open).toEqual([]);
  expect(plan({ 's/1': 87 }, options).open).toEqual([{ kind: 'device', ref: 's/1', deviceIds: ['s/1'] }]);
  expect(plan({ 's/1': 90 }, { ...options, suspects: { s: 1 } }).open).toHaveLength(1);
});

/** What is opened about the devices of a store of so many, which have all reported until a minute. */
const opened = (devices: Record<string, number>, reportedUntil: number, of = 4) =>
  plan(devices, { watched: { s: of }, reportedUntil }).open.map(({ ref }) => ref);

test('a device waits for what the others of its store report, and while more of them have it, but not for long', () => {
  expect(opened({ 's/1': 90 }, 89)).toEqual([]);
  expect(opened({ 's/1': 90 }, 90)).toEqual(['s/1']);
  expect(opened({ 's/1': 89, 's/2': 90 }, 89), 'another one has followed').toEqual([]);
  expect(opened({ 's/1': 89, 's/2': 90, 's/3': 91 }, 89), 'with one that is not due').toEqual(['s']);
  expect(opened({ 's/1': 87, 's/2': 90 }, 89)).toEqual(['s/1']);
  expect(opened({ 's/1': 84, 's/2': 90 }, 89), 'too late for the first one').toEqual(['s/1']);
  expect(opened({ 's/1': 84, 's/2': 90, 's/3': 90, 's/4': 90 }, 89)).toEqual(['s/1', 's']);
  expect(opened({ 's/1': 90 }, 89, 2), 'two are no store').toEqual(['s/1']);
  expect(opened({ one: 90 }, 89), 'in no store').toEqual(['one']);
  expect(opened({ 's/1': 90 }, -Infinity), 'nobody has reported since the cloud has started').toEqual([]);
});

/** So many devices of a store that have it at the same time. */
const down = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`s/${index}`, 90]));

test('ten devices are about their store however large it is', () => {
  expect(plan(down(9), { watched: { s: 500 } }).open).toHaveLength(9);
  expect(plan(down(10), { watched: { s: 500 } }).open).toMatchObject([{ kind: 'store', ref: 's' }]);
  expect(plan(down(4), { watched: { s: 500 }, suspects: { s: 6 } }).open, 'with those it waits for').toEqual(
    [],
  );
});

/** What becomes of an alert of a store. */
const over = (
  devices: Record<string, number | null>,
  found: Record<string, number> = {},
  unknown: string[] = [],
  unwatched: string[] = [],
) => plan(found, { alerts: [alert('store', 's', devices)], unknown, unwatched });
const resolved = (ref: string, because = 'over') => [{ alertId: `alert of ${ref}`, because }];

test('it is over when no device has it for two minutes; one that comes and goes is one alert', () => {
  const nothing = { open: [], join: [], over: [], resolve: [] };
  expect(over({ a: null, b: null }, { a: 80 })).toEqual({
    ...nothing,
    over: [{ alertId: 'alert of s', deviceIds: ['b'] }],
  });
  expect(over({ a: NOW_MS - RESOLVED_AFTER_MS, b: NOW_MS - RESOLVED_AFTER_MS + 1 })).toEqual(nothing);
  expect(over({ a: NOW_MS - RESOLVED_AFTER_MS, b: NOW_MS - RESOLVED_AFTER_MS })).toEqual({
    ...nothing,
    resolve: resolved('s'),
  });
  expect(over({ a: NOW_MS - RESOLVED_AFTER_MS }, { a: 99 })).toEqual({
    ...nothing,
    join: [{ alertId: 'alert of s', deviceIds: ['a'] }],
  });
  expect(over({ a: null }, {}, ['a']), 'nothing was heard of it').toEqual(nothing);
});

test('a device that is no longer watched before it is over ends its alert, but not as over', () => {
  const nothing = { open: [], join: [], over: [], resolve: [] };
  const isOver = NOW_MS - RESOLVED_AFTER_MS;
  const notWatched = { ...nothing, resolve: resolved('s', 'not_watched') };
  expect(over({ a: null }, {}, [], ['a'])).toEqual(notWatched);
  expect(over({ a: null }, {}, ['a'], ['a']), 'it need not be heard of').toEqual(notWatched);
  expect(over({ a: null, b: isOver }, {}, [], ['a'])).toEqual(notWatched);
  expect(over({ a: null, b: isOver + 1 }, {}, [], ['a']), 'the others may have it again').toEqual(nothing);
  expect(over({ a: null, b: null }, { b: 80 }, [], ['a']), 'the others have it').toEqual(nothing);
  expect(over({ a: isOver + 1 }, {}, [], ['a']), 'it was over before').toEqual({
    ...nothing,
    resolve: resolved('s'),
  });
});

/** The plan that these devices join the alert, and nothing else. */
const goesOn = (ref: string, deviceIds: string[]) => ({
  open: [],
  join: [{ alertId: `alert of ${ref}`, deviceIds }],
  over: [],
  resolve: [],
});

test('an alert that is over goes on with devices that come in the same look; nothing is resolved and opened at once', () => {
  const isOver = NOW_MS - RESOLVED_AFTER_MS;
  const ofAll = alert('all', '', { old: isOver });
  expect(plan({ a: 90, 's/1': 90 }, { alerts: [ofAll], isOne: true })).toEqual(goesOn('', ['a', 's/1']));
  const full = [ofAll, alert('device', 'b', { b: null })];
  expect(plan({ a: 90, b: 80 }, { alerts: full, maxOpen: 1 }), 'on top of the others').toEqual(
    goesOn('', ['a']),
  );
  const ofStore = alert('store', 's', { 's/1': isOver, 's/2': isOver, 's/3': isOver });
  expect(plan({ 's/4': 90, 's/5': 90, 's/6': 90 }, { alerts: [ofStore], watched: { s: 6 } })).toEqual(
    goesOn('s', ['s/4', 's/5', 's/6']),
  );
  expect(plan({ 's/4': 90 }, { alerts: [ofStore], watched: { s: 6 } })).toEqual(goesOn('s', ['s/4']));
});

test('what is over is resolved beside what is opened, and leaves its place to it', () => {
  const alerts = [alert('device', 's/1', { 's/1': NOW_MS - RESOLVED_AFTER_MS })];
  expect(plan({ a: 90 }, { alerts, maxOpen: 1 })).toEqual({
    open: [{ kind: 'device', ref: 'a', deviceIds: ['a'] }],
    join: [],
    over: [],
    resolve: resolved('s/1'),
  });
  expect(plan({ 's/2': 90, 's/3': 90, 's/4': 90 }, { alerts, watched: { s: 4 } })).toMatchObject({
    open: [{ kind: 'store', ref: 's' }],
    resolve: resolved('s/1'),
  });
  expect(plan({ a: 90 }, { alerts: [alert('all', '', { b: NOW_MS - RESOLVED_AFTER_MS })] })).toMatchObject({
    open: [{ kind: 'device', ref: 'a' }],
    resolve: resolved(''),
  });
});

test('what comes on top of the open alerts of a rule is in one alert of all devices', () => {
  const devices = { a: 90, b: 90, c: 90, d: 90 };
  expect(plan(devices, { maxOpen: 2 }).open).toEqual([
    { kind: 'device', ref: 'a', deviceIds: ['a'] },
    { kind: 'device', ref: 'b', deviceIds: ['b'] },
    { kind: 'all', ref: '', deviceIds: ['c', 'd'] },
  ]);
  const alerts = [alert('all', '', { c: null }), alert('device', 'a', { a: null })];
  expect(plan(devices, { alerts, maxOpen: 2 })).toMatchObject({
    open: [],
    join: [{ alertId: 'alert of ', deviceIds: ['b', 'd'] }],
  });
});

test('a rule with one alert has it for all devices, whatever their store', () => {
  expect(plan({ a: 90, 's/1': 90, 's/2': 90, 's/3': 90 }, { isOne: true, watched: { s: 3 } }).open).toEqual([
    { kind: 'all', ref: '', deviceIds: ['a', 's/1', 's/2', 's/3'] },
  ]);
});

test('minutes in which the cloud was down do not part the devices of a store', () => {
  const devices = { 'berlin/one': 60, 'berlin/two': 80, 'berlin/three': 80 };
  const kinds = (downMinutes: number) =>
    plan(devices, { watched: { berlin: 3 }, downMinutes }).open.map(({ kind }) => kind);
  expect(kinds(0)).toEqual(['device', 'device', 'device']);
  expect(kinds(15)).toEqual(['store']);
});

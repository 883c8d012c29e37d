import { expect, test } from 'vitest';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { MINUTE_MS, watchedScreens } from './support/watched-screens.ts';

const watched = watchedScreens();
const { alive, get, faults, createRule, createStore, alertsOf, alertsWith, passUntil, passMinutes } = watched;
/** What a device measures and reports. */
const at = (celsius: number | null) => ({ sample: { temperature_celsius: celsius } });
const storageOf = (free: number | null) => ({
  storage: { cache_bytes: 0, free_bytes: free, assets_held: 0, assets_missing: 0 },
});
const subjectOf = ({ subject }: { subject: { id: string } }) => subject.id;
const timeOfDay = (ms: number) => new Date(ms).toISOString().slice(11, 16);
/** The revision that the device should have. */
const targetOf = async ({ deviceId }: PairedDevice) =>
  (await get(`/v1/devices/${deviceId}`)).configuration.manifest_revision;

test('a fault is an alert while the device reports it; one that is offline is not over', async () => {
  const [full, hot] = [await pairDevice(watched.cloud), await pairDevice(watched.cloud)];
  const disk = await createRule({ type: 'fault', code: 'disk.full', minutes: 0 });
  const any = await createRule({ type: 'fault', code: null, minutes: 6 });
  alive.set(full, faults('disk.full')).set(hot, faults('player.hot'));
  const beganMs = watched.cloud.clock.nowMs();
  await passUntil(async () => expect(await alertsOf(any)).toHaveLength(2));
  const [ofDisk, ...none] = await alertsOf(disk);
  expect([ofDisk.subject.id, none]).toEqual([full.deviceId, []]);
  expect(Date.parse(ofDisk.opened_at) - beganMs).toBeLessThan(MINUTE_MS);
  for (const { opened_at } of await alertsOf(any)) {
    expect(Date.parse(opened_at) - beganMs).toBeGreaterThan(6 * MINUTE_MS);
  }
  // One disappears with its fault, the other reports that it is over.
  alive.delete(full);
  alive.set(hot, {});
  await passUntil(async () => expect(await alertsOf(any, '&status=open')).toHaveLength(1));
  await passUntil(async () => expect((await get(`/v1/devices/${full.deviceId}`)).status).toBe('offline'));
  expect(await get(`/v1/alerts/${ofDisk.id}`)).toEqual(ofDisk);
  alive.set(full, {});
  await passUntil(async () => expect(await alertsOf(disk, '&status=open')).toEqual([]));
});

test('a device that does not follow its manifest is an alert, also over a restart; one that makes progress is none', async () => {
  const [stuck, moving, current] = [
    await pairDevice(watched.cloud),
    await pairDevice(watched.cloud),
    await pairDevice(watched.cloud),
  ];
  const rule = await createRule({ type: 'behind', minutes: 10 });
  const mine = (screen: PairedDevice) => alertsWith(rule, screen);
  alive
    .set(stuck, { applied_manifest_revision: 'old' })
    .set(current, { applied_manifest_revision: await targetOf(current) });
  /** It shows another revision each five minutes. */
  const move = () =>
    alive.set(moving, {
      applied_manifest_revision: `old ${Math.floor(watched.cloud.clock.nowMs() / (5 * MINUTE_MS))}`,
    });
  const beganMs = watched.cloud.clock.nowMs();
  const passed = (minutes: number) =>
    passUntil(async () => {
      move();
      expect(watched.cloud.clock.nowMs() - beganMs).toBeGreaterThan(minutes * MINUTE_MS);
    });
  await passed(6);
  await watched.cloud.restart(20_000);
  const [alert] = await passUntil(async () => {
    move();
    const found = await mine(stuck);
    expect(found).toHaveLength(1);
    return found;
  });
  const afterMs = Date.parse(alert.opened_at) - beganMs;
  expect(afterMs).toBeGreaterThan(10 * MINUTE_MS);
  expect(afterMs, 'the minutes before the restart count').toBeLessThan(14 * MINUTE_MS);
  await passed(25);
  expect([await mine(moving), await mine(current)]).toEqual([[], []]);
  alive.delete(moving);
  alive.set(stuck, { applied_manifest_revision: await targetOf(stuck) });
  await passUntil(async () => expect(await alertsOf(rule, '&status=open')).toEqual([]));
});

test('devices of an old version are one alert', async () => {
  const store = await createStore('Old');
  const screens = [];
  for (const version of ['1.9.0', '1.9.3', '1.10.0', '2.0.0']) {
    const screen = await pairDevice(watched.cloud, { store_id: store });
    alive.set(screen, { player_version: version });
    screens.push(screen.deviceId);
  }
  const rule = await createRule(
    { type: 'old_version', version: '1.10.0', minutes: 0 },
    { filter: { store_id: store } },
  );
  await passUntil(async () => expect(await alertsOf(rule)).toMatchObject([{ devices: 2 }]));
  const [alert] = await alertsOf(rule);
  expect(alert.subject).toEqual({ type: 'all', id: null, name: null });
  const devices = await get(`/v1/alerts/${alert.id}/devices`);
  expect(new Set(devices.map((each: { device_id: string }) => each.device_id))).toEqual(
    new Set(screens.slice(0, 2)),
  );
  for (const screen of alive.keys()) {
    alive.set(screen, { player_version: '2.0.0' });
  }
  await passUntil(async () => expect(await alertsOf(rule, '&status=open')).toEqual([]));
});

test('a hot device is an alert after the minutes of the rule, and over when it has cooled; one without a sensor is none', async () => {
  const [hot, warm, blind] = [
    await pairDevice(watched.cloud),
    await pairDevice(watched.cloud),
    await pairDevice(watched.cloud),
  ];
  alive.set(hot, at(80)).set(warm, at(79.9)).set(blind, at(null));
  const rule = await createRule({ type: 'hot', celsius: 80, minutes: 5 });
  const beganMs = watched.cloud.clock.nowMs();
  const [alert] = await passUntil(async () => {
    const found = await alertsOf(rule);
    expect(found).toHaveLength(1);
    return found;
  });
  expect(alert.subject.id).toBe(hot.deviceId);
  const afterMs = Date.parse(alert.opened_at) - beganMs;
  expect(afterMs).toBeGreaterThan(5 * MINUTE_MS);
  expect(afterMs).toBeLessThan(8 * MINUTE_MS);
  // A little cooler, without a sensor, and without samples for longer than the newest one counts: that is not over.
  for (const [state, minutes] of [
    [at(78.5), 4],
    [at(null), 4],
    [{}, 17],
  ] as const) {
    alive.set(hot, state);
    await passMinutes(minutes);
    expect(await alertsOf(rule, '&status=open')).toMatchObject([{ devices_affected: 1 }]);
  }
  alive.set(hot, at(78));
  await passUntil(async () => expect(await alertsOf(rule, '&status=open')).toEqual([]));
  expect(await alertsOf(rule)).toMatchObject([{ id: alert.id, resolved_because: 'over' }]);
});

test('a device that stops to measure goes on with the minutes that it has, and gets no alert meanwhile', async () => {
  const screen = await pairDevice(watched.cloud);
  const rule = await createRule({ type: 'hot', celsius: 80, minutes: 6 });
  alive.set(screen, at(80));
  await passMinutes(4);
  alive.set(screen, at(null));
  await passMinutes(6);
  expect(await alertsOf(rule)).toEqual([]);
  const againMs = watched.cloud.clock.nowMs();
  alive.set(screen, at(80));
  const [alert] = await passUntil(async () => {
    const found = await alertsOf(rule);
    expect(found).toHaveLength(1);
    return found;
  });
  expect(Date.parse(alert.opened_at) - againMs, 'its minutes have passed').toBeLessThan(2 * MINUTE_MS);
});

test('rules with different filters each find their own of the online devices', async () => {
  const store = await createStore('Bern', { country: 'Switzerland', city: 'Bern' });
  const screens = {
    inStore: await pairDevice(watched.cloud, { store_id: store, name: 'Filtered one' }),
    tagged: await pairDevice(watched.cloud, { tags: ['filtered'], name: 'Filtered two' }),
    other: await pairDevice(watched.cloud, { name: 'Plain' }),
  };
  for (const screen of Object.values(screens)) {
    alive.set(screen, at(90));
  }
  const { inStore, tagged, other } = screens;
  const expected: [object, PairedDevice[]][] = [
    [{}, [inStore, tagged, other]],
    [{ store_id: store }, [inStore]],
    [{ city: 'BERN', country: 'switzerland' }, [inStore]],
    [{ tag: 'filtered' }, [tagged]],
    [{ search: 'FILTERED' }, [inStore, tagged]],
    [{ search: 'filtered', tag: 'filtered' }, [tagged]],
    [{ store_id: store, tag: 'filtered' }, []],
  ];
  const rules = [];
  for (const [filter, found] of expected) {
    rules.push({ rule: await createRule({ type: 'hot', celsius: 85, minutes: 0 }, { filter }), found });
  }
  await passMinutes(3);
  for (const { rule, found } of rules) {
    expect(new Set((await alertsOf(rule)).map(subjectOf)), JSON.stringify(rule.filter)).toEqual(
      new Set(found.map(({ deviceId }) => deviceId)),
    );
  }
});

test('a disk with less free space than the rule says is an alert, in MB and in percent', async () => {
  const tags = ['disk'];
  const filter = { tag: 'disk' };
  const [full, half] = [await pairDevice(watched.cloud, { tags }), await pairDevice(watched.cloud, { tags })];
  alive
    .set(full, { ...storageOf(499_999_999), sample: { disk_percent: 50 } })
    .set(half, { ...storageOf(500_000_000), sample: { disk_percent: 95.5 } });
  const inMB = await createRule({ type: 'disk_below', free: 500, unit: 'MB', minutes: 0 }, { filter });
  const inPercent = await createRule(
    { type: 'disk_below', free: 5, unit: 'percent', minutes: 0 },
    { filter },
  );
  await passUntil(async () => {
    expect((await alertsOf(inMB)).map(subjectOf)).toEqual([full.deviceId]);
    expect((await alertsOf(inPercent)).map(subjectOf)).toEqual([half.deviceId]);
  });
  const ofNothing = { ...storageOf(null), sample: { disk_percent: null } };
  alive.set(full, ofNothing).set(half, ofNothing);
  await passMinutes(5);
  for (const rule of [inMB, inPercent]) {
    expect(await alertsOf(rule, '&status=open'), 'it is not known').toHaveLength(1);
  }
  alive
    .set(full, { ...storageOf(550_000_000), sample: { disk_percent: 50 } })
    .set(half, { ...storageOf(null), sample: { disk_percent: 94 } });
  await passUntil(async () => {
    expect(await alertsOf(inMB, '&status=open')).toEqual([]);
    expect(await alertsOf(inPercent, '&status=open')).toEqual([]);
  });
  const { error } = await watched.cloud.admin.post('/v1/alert-rules', {
    name: 'More than there is',
    condition: { type: 'disk_below', free: 101, unit: 'percent', minutes: 0 },
  });
  expect(error?.details).toMatchObject([{ path: 'condition.free' }]);
});

test('a device that shows nothing while a playlist is due, or says that nothing can be shown, is an alert; an idle one is none', async () => {
  const { admin } = watched.cloud;
  const names = ['empty', 'broken', 'showing', 'idle'] as const;
  const screens = new Map<string, PairedDevice>();
  for (const name of names) {
    screens.set(name, await pairDevice(watched.cloud, { name, tags: name === 'idle' ? [] : ['due'] }));
  }
  const screen = (name: (typeof names)[number]) => screens.get(name)!;
  const playlist = (await admin.post('/v1/playlists', { name: 'Due' })).data.id;
  await admin.post(`/v1/playlists/${playlist}/deploy`, { targets: [{ type: 'tag', value: 'due' }] });
  const current = {
    playlist_id: playlist,
    item_id: 'item_1',
    content_id: 'asset_1',
    since: new Date(watched.cloud.clock.nowMs()).toISOString(),
  };
  alive
    .set(screen('empty'), {})
    .set(screen('broken'), { ...faults('playback.nothing_playable'), current })
    .set(screen('showing'), { current })
    .set(screen('idle'), {});
  const rule = await createRule({ type: 'nothing_playable', minutes: 2 });
  await passUntil(async () => expect(await alertsOf(rule)).toHaveLength(2));
  await passMinutes(5);
  expect(new Set((await alertsOf(rule)).map(subjectOf))).toEqual(
    new Set([screen('empty').deviceId, screen('broken').deviceId]),
  );
  alive.set(screen('empty'), { current }).set(screen('broken'), { current });
  await passUntil(async () => expect(await alertsOf(rule, '&status=open')).toEqual([]));
});

test('a device that showed nothing at its last report is none when the playlist became due after it', async () => {
  const { admin, clock } = watched.cloud;
  const screen = await pairDevice(watched.cloud);
  const playlist = (await admin.post('/v1/playlists', { name: 'Later' })).data.id;
  const dueMs = (Math.floor(clock.nowMs() / MINUTE_MS) + 4) * MINUTE_MS;
  const schedule = await admin.post('/v1/schedules', {
    name: 'Later',
    rules: [
      {
        playlist_id: playlist,
        start_time: timeOfDay(dueMs),
        end_time: timeOfDay(dueMs + 60 * MINUTE_MS),
        days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'],
      },
    ],
    targets: [{ type: 'device', id: screen.deviceId }],
  });
  expect(schedule.status).toBe(201);
  const rule = await createRule({ type: 'nothing_playable', minutes: 1 });
  alive.set(screen, {});
  await passUntil(async () => expect(clock.nowMs()).toBeGreaterThan(dueMs - 45_000));
  alive.delete(screen);
  await passUntil(async () => expect((await get(`/v1/devices/${screen.deviceId}`)).status).toBe('offline'));
  expect(clock.nowMs(), 'it was due for longer than the rule says').toBeGreaterThan(
    dueMs + 2 * MINUTE_MS - 15_000,
  );
  expect(await alertsOf(rule)).toEqual([]);
  alive.set(screen, {});
  await passUntil(async () => expect(await alertsOf(rule)).toHaveLength(1));
});

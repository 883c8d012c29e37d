import { eventType, notificationOf } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { insertDevice } from './support/insert-device.ts';
import { buildReportedState, pairDevice } from './support/paired-device.ts';
import { HOUR_MS, rolloutRig } from './support/rollout-rig.ts';
import type { Screen } from './support/rollout-rig.ts';

const rig = rolloutRig();
const {
  pairScreens,
  beat,
  rolloutOf,
  devicesOf,
  eventsOf,
  progressOf,
  pass,
  runJob,
  until,
  createRollout,
  told,
  update,
} = rig;

test('the first ring is told to update, and the next after the hold; what comes of each device is shown', async () => {
  const screens = await pairScreens(4);
  const newer = (await pairScreens(1, '1.4.0'))[0]!;
  const rollout = await createRollout({ name: 'Autumn', rings: [25, 100], hold_hours: 2 });
  const noComparison = { ring: 0, since: null, kinds: [] };
  expect((await rig.cloud.admin.get(`/v1/rollouts/${rollout.id}/comparison`)).data).toEqual(noComparison);
  expect(rollout).toMatchObject({
    id: expect.stringMatching(/^rollout_/),
    status: 'selecting',
    filter: {},
    ring: 0,
    reason: null,
  });
  await until(async () => expect(await told(rollout.id)).toHaveLength(1));
  expect(await rolloutOf(rollout.id)).toMatchObject({
    status: 'running',
    ring: 1,
    fleet: 4,
    self_updating: 0,
    rings: [
      { percent: 25, chosen: 1, waiting: 0, told: 1, updated: 0, failed: 0 },
      { percent: 100, chosen: 3, waiting: 3, told: 0, updated: 0, failed: 0 },
    ],
  });
  const listed = await devicesOf(rollout.id);
  expect(listed.map(({ device_id }: { device_id: string }) => device_id)).not.toContain(newer.deviceId);
  const [first] = listed;
  expect(first).toMatchObject({
    ring: 1,
    status: 'told',
    kind: 'linux with chromium',
    model: 'linux',
    shell: 'chromium',
  });
  const screen = screens.find(({ deviceId }) => deviceId === first.device_id)!;
  // Nobody updates of their own accord, also no screen that was paired later.
  expect((await beat(screens[0]!)).data.updates_held).toBe(true);
  expect((await beat((await pairScreens(1, '1.4.0'))[0]!)).data.updates_held).toBe(true);
  const command = (await rig.cloud.admin.get(`/v1/commands/${first.command_id}`)).data;
  expect(command).toMatchObject({ command: 'UPDATE_CHECK', device_id: screen.deviceId });

  await update(screen, first.command_id);
  await until(async () => expect((await devicesOf(rollout.id))[0].status).toBe('updated'));
  expect((await rolloutOf(rollout.id)).ring).toBe(1);
  await pass(4, screens);
  // So few screens cannot be compared.
  await until(async () => expect((await rolloutOf(rollout.id)).status).toBe('held'));
  expect(await rolloutOf(rollout.id)).toMatchObject({
    reason: expect.stringContaining('Nothing could be compared in this ring'),
    cause: { type: 'nothing_compared' },
  });
  const continued = (await rig.cloud.admin.post(`/v1/rollouts/${rollout.id}/continue`)).data;
  await until(async () => expect((await told(rollout.id)).length).toBeGreaterThan(1));
  expect((await rolloutOf(rollout.id)).ring).toBe(2);

  // The others get their turns one after the other; one has no such version on offer, one is removed.
  await until(async () => expect(await told(rollout.id)).toHaveLength(4));
  const rest = (await devicesOf(rollout.id)).slice(1);
  const find = (index: number) => screens.find(({ deviceId }) => deviceId === rest[index].device_id)!;
  await update(find(0), rest[0].command_id);
  await find(1).client.post(`/v1/player/commands/${rest[1].command_id}/status`, {
    status: 'succeeded',
    result: { outcome: 'up_to_date', from: '1.3.0', to: null, code: null },
  });
  await rig.cloud.admin.delete(`/v1/devices/${find(2).deviceId}`);
  await until(async () => expect((await rolloutOf(rollout.id)).status).toBe('finished'));
  expect((await devicesOf(rollout.id)).map(({ status, code }: never) => [status, code])).toEqual([
    ['updated', null],
    ['updated', null],
    ['failed', 'not_offered'],
    ['removed', null],
  ]);
  expect((await beat(find(1))).data.updates_held, 'it has finished').toBeUndefined();
  const all = await eventsOf(rollout.id);
  for (const event of all) {
    expect(notificationOf(eventType.parse(event.type)).strict().safeParse(event).error).toBeUndefined();
  }
  const events = all.filter(({ type }) => type !== 'rollout.progress');
  expect(events.map(({ type, data }) => [type, data.rollout.status, data.rollout.ring])).toEqual([
    ['rollout.created', 'selecting', 0],
    ['rollout.advanced', 'running', 1],
    ['rollout.held', 'held', 1],
    ['rollout.continued', 'running', 2],
    ['rollout.advanced', 'running', 2],
    ['rollout.finished', 'finished', 2],
  ]);
  expect(events[0]?.data.rollout).toEqual(rollout);
  expect(events[3]?.data.rollout).toEqual(continued);
  expect(events.at(-1)?.data.rollout).toEqual(await rolloutOf(rollout.id));
  const audited = (await rig.cloud.admin.get(`/v1/audit-log?resource_id=${screen.deviceId}`)).data;
  expect(audited.map(({ action }: { action: string }) => action)).toContain('device.command_sent');
});

test('updates are held until a rollout for all screens has finished', async () => {
  const [screen, other] = await pairScreens(2);
  const expectHeld = (isHeld: true | undefined) =>
    until(async () => expect((await beat(other!)).data.updates_held).toBe(isHeld));
  const finish = async (id: string, updated: Screen) => {
    await until(async () => expect(await told(id)).toHaveLength(1));
    await update(updated, (await told(id))[0].command_id, '1.5.0');
    await until(async () => expect((await rolloutOf(id)).status).toBe('finished'));
  };
  const first = await createRollout({ rings: [100] });
  await until(async () => expect(await told(first.id)).toHaveLength(2));
  expect((await rig.cloud.admin.post(`/v1/rollouts/${first.id}/stop`)).data.holds_updates).toBe(true);
  await expectHeld(true);

  // What has updated no screen changes nothing.
  const body = { version: '1.5.0', filter: { store_id: 'store_typo' } };
  expect((await rig.cloud.admin.post('/v1/rollouts', body)).error).toMatchObject({ code: 'STORE_NOT_FOUND' });
  for (const nothing of [{ version: '1.5.0', filter: { tag: 'piolt' } }, { version: '1.0.0' }]) {
    const { id } = await createRollout(nothing);
    await until(async () => expect((await rolloutOf(id)).status).toBe('finished'));
    expect((await rolloutOf(id)).holds_updates).toBe(false);
    expect((await rolloutOf(first.id)).holds_updates).toBe(true);
    await expectHeld(true);
  }

  // The others go on waiting after one for some.
  await rig.cloud.admin.patch(`/v1/devices/${screen!.deviceId}`, { tags: ['pilot'] });
  const pilot = await createRollout({ version: '1.5.0', filter: { tag: 'pilot' }, rings: [100] });
  await finish(pilot.id, screen!);
  expect((await rolloutOf(pilot.id)).holds_updates).toBe(true);
  expect((await eventsOf(pilot.id)).at(-1)?.data.rollout).toEqual(await rolloutOf(pilot.id));
  expect((await rolloutOf(first.id)).holds_updates).toBe(false);
  await expectHeld(true);

  const all = await createRollout({ version: '1.5.0', rings: [100] });
  await finish(all.id, other!);
  expect((await rolloutOf(all.id)).holds_updates).toBe(false);
  await expectHeld(undefined);

  // Without it the one before would hold them.
  expect((await rig.cloud.admin.delete(`/v1/rollouts/${all.id}`)).error).toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'rollout_stopped_before', rollout_id: pilot.id },
  });
  expect((await eventsOf(all.id)).at(-1)?.type).toBe('rollout.finished');
  for (const { id } of [first, pilot, all]) {
    expect((await rig.cloud.admin.delete(`/v1/rollouts/${id}`)).status).toBe(200);
    await expectHeld(undefined);
  }
});

test('devices that were told, have answered or were removed are told of, and nothing else is', async () => {
  const screens = await pairScreens(3);
  const { id } = await createRollout({ rings: [100] });
  await until(async () => expect(await told(id)).toHaveLength(3));
  expect((await progressOf(id))[0]).toMatchObject({ status: 'running', fleet: 3, rings: [{ waiting: 3 }] });
  expect((await progressOf(id)).at(-1)).toEqual(await rolloutOf(id));
  const [first, second] = await told(id);
  const find = ({ device_id }: { device_id: string }) =>
    screens.find(({ deviceId }) => deviceId === device_id)!;
  await update(find(first), first.command_id);
  await until(async () => expect((await rolloutOf(id)).rings[0].updated).toBe(1));
  expect((await progressOf(id)).at(-1)).toEqual(await rolloutOf(id));
  await rig.cloud.admin.delete(`/v1/devices/${find(second).deviceId}`);
  await until(async () => expect((await rolloutOf(id)).rings[0].chosen).toBe(2));
  const progress = await progressOf(id);
  expect(progress.at(-1)).toEqual(await rolloutOf(id));
  expect(new Set(progress.map((each) => JSON.stringify(each))).size, 'each says more').toBe(progress.length);
  await runJob();
  expect(await progressOf(id)).toEqual(progress);
});

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status);

test('what is asked by several at the same time is done, and told, once', async () => {
  await pairScreens(2);
  const ask = async (method: string, path: string, body?: object) => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => rig.cloud.admin.call(method, `/v1/rollouts${path}`, body)),
    );
    return answers.toSorted((a, b) => a.status - b.status);
  };
  const created = await ask('POST', '', { version: '1.4.0', rings: [50, 100] });
  expect(statuses(created)).toEqual([202, 409, 409, 409, 409, 409]);
  const { id } = created[0]!.data;
  await until(async () => expect(await told(id)).toHaveLength(1));
  await rig.cloud.inDatabase((db) =>
    db.updateTable('rollouts').set({ status: 'held' }).where('id', '=', id).execute(),
  );
  expect(statuses(await ask('POST', `/${id}/continue`))).toEqual([200, 409, 409, 409, 409, 409]);
  const stopped = await ask('POST', `/${id}/stop`);
  expect(statuses(stopped)).toEqual([200, 200, 200, 200, 200, 200]);
  const deleted = await ask('DELETE', `/${id}`);
  expect(statuses(deleted)).toEqual([200, 404, 404, 404, 404, 404]);
  const events = (await eventsOf(id)).filter(
    ({ type }) => !['rollout.progress', 'rollout.advanced'].includes(type),
  );
  expect(events.map(({ type }) => type)).toEqual([
    'rollout.created',
    'rollout.continued',
    'rollout.stopped',
    'rollout.deleted',
  ]);
  for (const event of events.slice(-2)) {
    expect(event.data.rollout).toEqual(stopped[0]?.data);
  }
});

test('what could not be told while the cloud was down is not made up for', async () => {
  await pairScreens(12);
  const rollout = await createRollout({ rings: [100] });
  await until(async () => expect((await told(rollout.id)).length).toBeGreaterThan(0));
  rig.cloud.clock.advance(12 * HOUR_MS);
  await runJob();
  expect((await told(rollout.id)).length).toBeLessThan(12);
});

test('in a minute 0.1 % of the screens are told, also when those of 15 s are no whole number', async () => {
  const perMinute = 3.5;
  await rig.cloud.inDatabase((db) =>
    db.transaction().execute(async (trx) => {
      for (let index = 0; index < 90; index += 1) {
        await insertDevice(trx, `dev_${String(index).padStart(26, '0')}`, { player_version: '1.3.0' });
      }
    }),
  );
  const { id } = await createRollout({ rings: [100] });
  await until(async () => expect((await rolloutOf(id)).status).toBe('running'));
  await rig.cloud.inDatabase((db) =>
    db
      .updateTable('rollouts')
      .set({ fleet: 1000 * perMinute })
      .where('id', '=', id)
      .execute(),
  );
  const [startMs, before] = [rig.cloud.clock.nowMs(), (await told(id)).length];
  const readToldAt = () =>
    rig.cloud.inDatabase((db) =>
      db.selectFrom('rollouts').select('told_at').where('id', '=', id).executeTakeFirstOrThrow(),
    );
  for (let step = 0; step < 30; step += 1) {
    rig.cloud.clock.advance(20_000);
    await eventually(async () => {
      // A run of the job that was still going on then waits for its next turn.
      rig.cloud.clock.advance(500);
      const { told_at: toldMs } = await readToldAt();
      expect(rig.cloud.clock.nowMs() - (toldMs ?? startMs)).toBeLessThan(45_000);
    });
  }
  const count = (await told(id)).length - before;
  const minutes = (rig.cloud.clock.nowMs() - startMs) / 60_000;
  // The last ones may still be told.
  expect(count).toBeGreaterThan((minutes - 2) * perMinute);
  expect(count).toBeLessThanOrEqual((minutes + 2) * perMinute);
});

test('a person stops it at any time; commands that no screen has received are withdrawn', async () => {
  const screens = await pairScreens(3);
  const rollout = await createRollout({ rings: [67, 100] });
  await until(async () => expect(await told(rollout.id)).toHaveLength(2));
  const [begun, { device_id, command_id }] = await told(rollout.id);
  const find = (id: string) => screens.find(({ deviceId }) => deviceId === id)!;
  await find(begun.device_id).client.post(`/v1/player/commands/${begun.command_id}/status`, {
    status: 'acknowledged',
  });
  expect((await rig.cloud.admin.post('/v1/rollouts', { version: '1.5.0' })).error).toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'rollout_unfinished' },
  });
  expect((await rig.cloud.admin.delete(`/v1/rollouts/${rollout.id}`)).error?.details).toEqual({
    reason: 'rollout_unfinished',
  });
  const stopped = (await rig.cloud.admin.post(`/v1/rollouts/${rollout.id}/stop`)).data;
  expect(stopped).toMatchObject({ status: 'stopped', reason: expect.stringMatching(/^Stopped by /) });
  expect(stopped.cause).toEqual({ type: 'stopped_by_hand', name: expect.any(String) });
  expect(stopped.rings).toMatchObject([
    { waiting: 1, told: 1 },
    { waiting: 1, told: 0 },
  ]);
  expect((await rig.cloud.admin.post(`/v1/rollouts/${rollout.id}/stop`)).data).toEqual(stopped);
  const { data } = await beat(find(device_id));
  expect(data.commands).toEqual([]);
  await until(async () =>
    expect((await rig.cloud.admin.get(`/v1/commands/${command_id}`)).data.status).toBe('expired'),
  );
  // It could not be called back from the other one.
  await update(find(begun.device_id), begun.command_id);
  await until(async () =>
    expect((await rolloutOf(rollout.id)).rings[0]).toMatchObject({ told: 0, updated: 1 }),
  );
  expect((await progressOf(rollout.id)).at(-1)).toEqual(await rolloutOf(rollout.id));
  expect((await devicesOf(rollout.id)).map(({ status }: { status: string }) => status).toSorted()).toEqual([
    'updated',
    'waiting',
    'waiting',
  ]);
});

test('it goes on after a restart of the cloud, and tells nobody twice', async () => {
  await pairScreens(10);
  const rollout = await createRollout({ rings: [100] });
  await until(async () => expect((await told(rollout.id)).length).toBeGreaterThan(2));
  await rig.cloud.restart();
  await until(async () => expect(await told(rollout.id)).toHaveLength(10));
  const commands = (await rig.cloud.admin.get('/v1/commands?limit=100')).data;
  expect(new Set(commands.map(({ device_id }: { device_id: string }) => device_id)).size).toBe(10);
  expect(commands).toHaveLength(10);
});

test('without an older device it has finished at once; players that report no starts are counted', async () => {
  await pairScreens(1, '2.0.0');
  const rollout = await createRollout();
  await until(async () => expect((await rolloutOf(rollout.id)).status).toBe('finished'));
  expect(await rolloutOf(rollout.id)).toMatchObject({
    fleet: 0,
    reason: 'No device that it reaches has a version older than 1.4.0.',
  });
  const { client } = await pairDevice(rig.cloud);
  await client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  const other = await createRollout();
  await until(async () => expect((await rolloutOf(other.id)).status).toBe('running'));
  expect(await rolloutOf(other.id)).toMatchObject({ fleet: 1, self_updating: 1 });
});

test.each([
  [{ version: 'newest' }, 'version'],
  [{ version: '1.04.0' }, 'version'],
  [{ version: '1.4.0', rings: [10, 1] }, 'rings'],
  [{ version: '1.4.0', rings: [] }, 'rings'],
  [{ version: '1.4.0', rings: [1, 10] }, 'rings'],
  [{ version: '1.4.0', hold_hours: 0 }, 'hold_hours'],
  [{ version: '1.4.0', filter: { color: 'red' } }, 'filter'],
])('%j is rejected', async (body, path) => {
  const { status, error } = await rig.cloud.admin.post('/v1/rollouts', body);
  expect(status).toBe(400);
  expect(JSON.stringify(error?.details)).toContain(path);
});

import { expect, test } from 'vitest';
import { HOUR_MS, rolloutRig } from './support/rollout-rig.ts';
import type { Screen } from './support/rollout-rig.ts';

const rig = rolloutRig();
const { pairScreens, beat, rolloutOf, devicesOf, runJob, until, createRollout, told } = rig;

test('screens that go back to the version before stop the rollout; no further one is told', async () => {
  const screens = await pairScreens(8);
  const rollout = await createRollout({ rings: [50, 100], hold_hours: 24 });
  await until(async () => expect(await told(rollout.id)).toHaveLength(4));
  for (const { device_id, command_id } of (await told(rollout.id)).slice(0, 3)) {
    const screen = screens.find(({ deviceId }) => deviceId === device_id)!;
    const { client } = screen;
    // While it is on trial it reports the new version.
    await beat({ ...screen, version: '1.4.0' });
    await runJob();
    expect(await devicesOf(rollout.id, '&status=updated')).toEqual([]);
    await beat(screen);
    await client.post(`/v1/player/commands/${command_id}/status`, {
      status: 'failed',
      result: { outcome: 'rolled_back', from: '1.3.0', to: '1.4.0', code: 'crashed' },
    });
  }
  await until(async () => expect((await rolloutOf(rollout.id)).status).toBe('stopped'));
  const stopped = await rolloutOf(rollout.id);
  // Two are enough, when no other was told before them.
  expect(stopped.reason).toMatch(
    /^On (\d) of \1 screens the new version could not be installed or did not become healthy; they run the version before\.$/,
  );
  expect(stopped.cause).toMatchObject({ type: 'broken_update', kind: null });
  expect(stopped.finished_at).not.toBeNull();
  expect(stopped.rings[1]).toMatchObject({ waiting: 4, told: 0 });
  const [event] = (await rig.cloud.admin.get(`/v1/events?types=rollout.stopped`)).data;
  expect(event.data.rollout).toMatchObject({ id: rollout.id, reason: stopped.reason });
  rig.cloud.clock.advance(48 * HOUR_MS);
  expect(await told(rollout.id), 'the fourth had not received its command').toHaveLength(3);
  expect((await beat(screens[0]!)).data.updates_held, 'still held').toBe(true);
  expect((await rig.cloud.admin.delete(`/v1/rollouts/${rollout.id}`)).data).toEqual({
    id: rollout.id,
    deleted: true,
  });
  expect((await beat(screens[0]!)).data.updates_held).toBeUndefined();
});

const answerWith = async (
  screens: readonly Screen[],
  { device_id, command_id }: { device_id: string; command_id: string },
  result: object,
) => {
  const { client } = screens.find(({ deviceId }) => deviceId === device_id)!;
  const { status } = await client.post(`/v1/player/commands/${command_id}/status`, {
    status: 'failed',
    result: { from: '1.3.0', to: '1.4.0', ...result },
  });
  expect(status).toBeLessThan(300);
};

test('failures, which are known sooner, are of all screens that were told before them', async () => {
  const screens = await pairScreens(12);
  const { id } = await createRollout({ rings: [100] });
  await until(async () => expect(await told(id)).toHaveLength(12));
  const devices = await told(id);
  const received = screens.filter(({ deviceId }) => deviceId !== devices[0].device_id);
  for (const screen of received) {
    await beat(screen);
  }
  const failed = { outcome: 'rolled_back', code: 'crashed' };
  for (const device of devices.slice(10)) {
    await answerWith(screens, device, failed);
  }
  await until(async () => expect((await rolloutOf(id)).rings[0].failed).toBe(2));
  await runJob();
  expect(await rolloutOf(id), '2 of 11, of which 9 have not answered').toMatchObject({ status: 'running' });
  await answerWith(screens, devices[9], failed);
  await until(async () => expect((await rolloutOf(id)).status).toBe('stopped'));
  // One has not received its command.
  expect((await rolloutOf(id)).cause).toEqual({
    type: 'broken_update',
    kind: null,
    model: null,
    shell: null,
    answered: 11,
    broken: 3,
  });
});

const codesOf = async (id: string) =>
  (await devicesOf(id, '&status=failed')).map(({ code }: { code: string }) => code);

test.each([
  { outcome: 'rolled_back', code: 'no_space' },
  { outcome: 'failed', code: 'helper_silent' },
  { outcome: 'failed', code: 'bad_feed' },
  { outcome: 'failed', code: 'blocked' },
])('screens that could not update through no fault of the version do not stop it: %j', async (result) => {
  const screens = await pairScreens(4);
  const { id } = await createRollout({ rings: [100] });
  await until(async () => expect(await told(id)).toHaveLength(4));
  for (const device of (await told(id)).slice(0, 3)) {
    await answerWith(screens, device, result);
  }
  await until(async () => expect((await rolloutOf(id)).rings[0].failed).toBe(3));
  await runJob();
  expect((await rolloutOf(id)).status).toBe('running');
  expect(await codesOf(id)).toEqual([result.code, result.code, result.code]);
});

test('when screens are not offered the version, or it is blocked for them, it is held at once', async () => {
  const screens = await pairScreens(8);
  const { id } = await createRollout({ rings: [50, 100] });
  await until(async () => expect(await told(id)).toHaveLength(4));
  const answers = [
    { code: 'not_in_rollout', to: '1.4.0' },
    { code: 'blocked', to: '1.4.0' },
    { code: 'blocked', to: '1.5.0' },
    { code: null, to: null },
  ];
  for (const [index, { device_id, command_id }] of (await told(id)).entries()) {
    const { client } = screens.find(({ deviceId }) => deviceId === device_id)!;
    await client.post(`/v1/player/commands/${command_id}/status`, {
      status: 'succeeded',
      result: { outcome: 'up_to_date', from: '1.3.0', ...answers[index] },
    });
  }
  await until(async () => expect((await rolloutOf(id)).status).toBe('held'));
  expect((await rolloutOf(id)).cause).toEqual({
    type: 'too_few_updated',
    chosen: 4,
    alive: 0,
    failed: 4,
    told: 0,
  });
  expect(await codesOf(id)).toEqual(['not_offered', 'blocked', 'not_offered', 'not_offered']);
});

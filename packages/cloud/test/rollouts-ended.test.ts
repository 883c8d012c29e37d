import type { Rollout } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { HOUR_MS, rolloutRig } from './support/rollout-rig.ts';

const rig = rolloutRig();
const {
  pairScreens,
  rolloutOf,
  devicesOf,
  eventsOf,
  progressOf,
  runJob,
  until,
  createRollout,
  told,
  update,
} = rig;

test('rollouts that ended long ago are deleted, which is told; not one that holds updates', async () => {
  await rig.cloud.restart(0, { retention: { auditDays: 2 } });
  const stop = async ({ id }: Rollout): Promise<Rollout> =>
    (await rig.cloud.admin.post(`/v1/rollouts/${id}/stop`)).data;
  const stopped = await stop(await createRollout());
  const { id } = await createRollout();
  await until(async () => expect((await rolloutOf(id)).status).toBe('finished'));
  const newest = await stop(await createRollout());
  const others = [await rolloutOf(stopped.id), await rolloutOf(id)];
  rig.cloud.clock.advance(72 * HOUR_MS);
  await eventually(async () => {
    rig.cloud.clock.advance(HOUR_MS);
    expect((await rig.cloud.admin.get('/v1/rollouts')).data).toEqual([newest]);
  }, 60_000);
  for (const rollout of others) {
    const deleted = (await eventsOf(rollout.id)).filter(({ type }) => type === 'rollout.deleted');
    expect(deleted.map(({ data }) => data.rollout)).toEqual([rollout]);
  }
  expect((await eventsOf(newest.id)).map(({ type }) => type)).not.toContain('rollout.deleted');
});

test('the screens of rollouts that were deleted are deleted by a job, those of others are not', async () => {
  await pairScreens(2);
  const ids: string[] = [];
  for (let each = 0; each < 3; each += 1) {
    const { id } = await createRollout({ rings: [50, 100] });
    await until(async () => expect(await told(id)).toHaveLength(1));
    await rig.cloud.admin.post(`/v1/rollouts/${id}/stop`);
    ids.push(id);
  }
  for (const id of ids.slice(0, 2)) {
    expect((await rig.cloud.admin.delete(`/v1/rollouts/${id}`)).status).toBe(200);
  }
  await eventually(async () => {
    rig.cloud.clock.advance(HOUR_MS);
    const kept = await rig.cloud.inDatabase((db) =>
      db.selectFrom('rollout_devices').select('rollout_id').orderBy('position').execute(),
    );
    expect(kept.map((each) => each.rollout_id)).toEqual([ids[2], ids[2]]);
  }, 60_000);
});

test('what comes late of screens that were told is shown after the end as well', async () => {
  const [screen, silent] = await pairScreens(2);
  const { id } = await createRollout({ rings: [100], hold_hours: 1 });
  await until(async () => expect(await told(id)).toHaveLength(2));
  const command = (await told(id)).find(
    ({ device_id }: { device_id: string }) => device_id === screen!.deviceId,
  ).command_id;
  rig.cloud.clock.advance(HOUR_MS);
  await until(async () => expect((await rolloutOf(id)).status).toBe('finished'));
  expect((await rolloutOf(id)).rings).toMatchObject([{ told: 2 }]);
  await update(screen!, command);
  await until(async () => expect((await rolloutOf(id)).rings).toMatchObject([{ told: 1, updated: 1 }]));
  rig.cloud.clock.advance(7 * 24 * HOUR_MS);
  await until(async () => expect((await rolloutOf(id)).rings).toMatchObject([{ told: 0, failed: 1 }]));
  const [failed] = await devicesOf(id, '&status=failed');
  expect(failed).toMatchObject({ device_id: silent!.deviceId, code: 'expired' });
  expect((await progressOf(id)).at(-1)).toEqual(await rolloutOf(id));
});

test('what became of the screens of one that has ended is counted once, when none of them can answer any more', async () => {
  await pairScreens(3);
  const { id } = await createRollout({ rings: [50, 100] });
  await until(async () => expect(await told(id)).toHaveLength(1));
  await rig.cloud.admin.post(`/v1/rollouts/${id}/stop`);
  // A node of an earlier version, which knows no counts, reads an answer.
  await rig.cloud.inDatabase((db) =>
    db.updateTable('rollout_devices').set({ status: 'updated' }).where('ring', '=', 1).execute(),
  );
  const stopped = await rolloutOf(id);
  expect(stopped.rings).toMatchObject([
    { chosen: 1, updated: 1 },
    { chosen: 2, updated: 0 },
  ]);
  expect((await rig.cloud.admin.get('/v1/rollouts')).data).toEqual([stopped]);
  const readCounts = () => rig.cloud.inDatabase((db) => db.selectFrom('rollouts').select('counts').execute());
  await runJob();
  expect(await readCounts()).toEqual([{ counts: null }]);
  rig.cloud.clock.advance(8 * 24 * HOUR_MS);
  await until(async () => expect(await readCounts()).toEqual([{ counts: expect.any(String) }]));
  await rig.cloud.inDatabase((db) => db.deleteFrom('rollout_devices').where('rollout_id', '=', id).execute());
  expect((await rig.cloud.admin.get('/v1/rollouts')).data).toEqual([stopped]);
  expect(await rolloutOf(id)).toEqual(stopped);
});

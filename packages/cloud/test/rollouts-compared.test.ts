import { expect, test } from 'vitest';
import { formatHealth, NO_TOTALS } from '../src/domain/device-health.ts';
import type { HealthTotals } from '../src/domain/device-health.ts';
import { insertDevice } from './support/insert-device.ts';
import { HOUR_MS, rolloutRig } from './support/rollout-rig.ts';

const rig = rolloutRig();
const { pairScreens, rolloutOf, devicesOf, pass, until, createRollout, told } = rig;

const DAY_MINUTES = 24 * 60;
/** What a screen has reported that was online for so long, and was started so often. */
const healthOf = (minutes: number, starts: number): string => {
  const totals: HealthTotals = { ...NO_TOTALS, minutes, countedMinutes: minutes, starts };
  return formatHealth({
    at: rig.cloud.clock.nowMs(),
    starts: 1,
    pictureOf: 1,
    drawn: 0,
    dropped: 0,
    totals,
    marks: [{ at: 0, totals: NO_TOTALS }],
    shell: 'chromium',
  });
};

test('a worse version stops it, compared with the screens whose turn has not come', async () => {
  const ids = Array.from({ length: 120 }, (_each, index) => `dev_${String(index).padStart(26, '0')}`);
  const changeLive = (some: readonly string[], change: { health: string; online?: number }) =>
    rig.cloud.inDatabase((db) =>
      db
        .updateTable('device_live')
        .set({ ...change, last_seen: rig.cloud.clock.nowMs(), last_heartbeat: rig.cloud.clock.nowMs() })
        .where('device', 'in', (query) =>
          query.selectFrom('devices').select('number').where('id', 'in', some),
        )
        .execute(),
    );
  await rig.cloud.inDatabase((db) =>
    db.transaction().execute(async (trx) => {
      for (const id of ids) {
        await insertDevice(trx, id, { player_version: '1.3.0', status: 'online', told_status: 'online' });
      }
    }),
  );
  await changeLive(ids, { health: healthOf(7 * DAY_MINUTES, 1), online: 1 });
  const rollout = await createRollout({ rings: [5, 100], hold_hours: 24 });
  await until(async () => expect(await told(rollout.id)).toHaveLength(6));
  const updated: string[] = (await told(rollout.id)).map((each: { device_id: string }) => each.device_id);
  await rig.cloud.inDatabase(async (db) => {
    await db.updateTable('devices').set({ player_version: '1.4.0' }).where('id', 'in', updated).execute();
    const result = JSON.stringify({ outcome: 'confirmed', from: '1.3.0', to: '1.4.0', code: null });
    await db
      .updateTable('commands')
      .set({ status: 'succeeded', result })
      .where('device_id', 'in', updated)
      .execute();
  });
  await until(async () => expect(await devicesOf(rollout.id, '&status=updated')).toHaveLength(6));
  // An hour after the last was told.
  rig.cloud.clock.advance(HOUR_MS);
  const countCompared = () =>
    rig.cloud.inDatabase((db) =>
      db.selectFrom('rollout_devices').select('device_id').where('health_after', 'is not', null).execute(),
    );
  await until(async () => expect(await countCompared()).toHaveLength(120));
  const comparisonOf = async () => (await rig.cloud.admin.get(`/v1/rollouts/${rollout.id}/comparison`)).data;
  expect(await comparisonOf()).toMatchObject({
    ring: 1,
    since: expect.any(String),
    kinds: [{ shell: 'chromium', updated: 6, others: 114, measures: [] }],
  });
  await changeLive(ids, { health: healthOf(7 * DAY_MINUTES + 240, 1) });
  await changeLive(updated, { health: healthOf(7 * DAY_MINUTES + 240, 13) });
  await until(async () => expect((await rolloutOf(rollout.id)).status).toBe('stopped'));
  expect((await rolloutOf(rollout.id)).reason).toBe(
    'Restarts went from 0.14 per day to 72 per day (of 6 updated screens); on 114 others: 0.14 per day before, 0 per day now.',
  );
  const values = { before: 1 / 7, after: expect.closeTo(72), others_before: 1 / 7, others_after: 0 };
  expect((await rolloutOf(rollout.id)).cause).toEqual({
    type: 'worse',
    measure: 'restarts',
    kind: null,
    model: null,
    shell: null,
    updated: 6,
    others: 114,
    ...values,
  });
  const restarts = { measure: 'restarts', ...values };
  expect((await comparisonOf()).kinds).toMatchObject([{ measures: expect.arrayContaining([restarts]) }]);
});

test('with too few screens on the version it is held, until a person continues', async () => {
  const screens = await pairScreens(2);
  const rollout = await createRollout({ rings: [50, 100], hold_hours: 1 });
  await until(async () => expect(await told(rollout.id)).toHaveLength(1));
  // A day until it is not waited for any longer, the hold, and two days in which the screen may come back.
  await pass(24 + 1, screens);
  expect((await rolloutOf(rollout.id)).status).toBe('running');
  await pass(49, screens);
  await until(async () => expect((await rolloutOf(rollout.id)).status).toBe('held'));
  expect((await rolloutOf(rollout.id)).reason).toMatch(/^Only 0 of the 1 screens of this ring/);
  expect((await rig.cloud.admin.post(`/v1/rollouts/${rollout.id}/continue`)).data).toMatchObject({
    status: 'running',
    ring: 2,
    reason: null,
  });
  await until(async () => expect(await told(rollout.id)).toHaveLength(2));
  expect((await rig.cloud.admin.post(`/v1/rollouts/${rollout.id}/continue`)).error).toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'rollout_not_held' },
  });
});

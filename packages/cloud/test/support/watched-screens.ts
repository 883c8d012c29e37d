import { afterAll, beforeAll, beforeEach, expect, vi } from 'vitest';
import { sql } from 'kysely';
import { eventually } from '../../../../test/support/eventually.ts';
import type { Db } from '../../src/database/db.ts';
import type { RowChange } from '../../src/database/schema.ts';
import { insertDevice } from './insert-device.ts';
import { buildReportedState, buildSample } from './paired-device.ts';
import type { PairedDevice } from './paired-device.ts';
import { startTestCloud } from './test-cloud.ts';
import type { TestCloud } from './test-cloud.ts';

/** What a device reports again and again: parts of its state, and of its sample, if it sends one. */
export interface Report extends Record<string, unknown> {
  sample?: Record<string, number | null>;
}

export const MINUTE_MS = 60_000;

/** As if the devices had reported this with their last heartbeat. */
export const setReported = (db: Db, ids: readonly string[], reported: RowChange<'device_live'>) =>
  db
    .updateTable('device_live')
    .set(reported)
    .where('device', 'in', db.selectFrom('devices').select('number').where('id', 'in', ids))
    .execute();

/** A cloud for the tests of a file, with rules for alerts and mutes, which are deleted before each test, and devices that report. */
export function watchedScreens(
  options: () => Promise<Parameters<typeof startTestCloud>[0]> = async () => ({}),
) {
  // Each minute of the clock takes some turns of the jobs.
  vi.setConfig({ testTimeout: 180_000 });
  let cloud: TestCloud;
  /** What devices report while time passes. */
  const alive = new Map<PairedDevice, Report>();
  beforeAll(async () => {
    cloud = await startTestCloud(await options());
  });
  afterAll(() => cloud.close());
  beforeEach(async () => {
    alive.clear();
    for (const { id } of await get('/v1/alert-rules?limit=100')) {
      await cloud.admin.delete(`/v1/alert-rules/${id}`);
    }
    for (const { id } of await get('/v1/alert-mutes')) {
      await cloud.admin.delete(`/v1/alert-mutes/${id}`);
    }
  });

  const get = async (path: string) => (await cloud.admin.get(path)).data;
  const report = (screen: PairedDevice, { sample, ...state }: Report = {}) =>
    screen.client.post('/v1/player/heartbeats', {
      samples: sample ? [buildSample(new Date(cloud.clock.nowMs()).toISOString(), sample)] : [],
      state: buildReportedState(state),
    });
  const alertsOf = (rule: { id: string }, query = '') =>
    get(`/v1/alerts?rule_id=${rule.id}&limit=100${query}`);
  /** As if the devices had just reported. */
  const touch = (ids: readonly string[]) =>
    cloud.inDatabase((db) =>
      db.transaction().execute(async (trx) => {
        const nowMs = cloud.clock.nowMs();
        await trx
          .updateTable('devices')
          .set({ status: 'online', told_status: 'online' })
          .where('id', 'in', ids)
          .execute();
        await sql`update device_live set online = 1, last_seen = ${nowMs}, last_heartbeat = ${nowMs}
          where device in (select number from devices where id in (${sql.join(ids)}))`.execute(trx);
      }),
    );
  /** Lets time pass, during which the devices that are alive report, until the condition holds. */
  const passUntil = <T>(condition: () => Promise<T>): Promise<T> =>
    eventually(async () => {
      cloud.clock.advance(15_000);
      for (const [screen, state] of alive) {
        await report(screen, state);
      }
      return condition();
    }, 120_000);

  return {
    get cloud() {
      return cloud;
    },
    alive,
    get,
    report,
    alertsOf,
    touch,
    createRule: async (condition: object, fields: object = {}) =>
      (await cloud.admin.post('/v1/alert-rules', { name: 'A rule', condition, ...fields })).data,
    createStore: async (name: string, fields: object = {}): Promise<string> =>
      (await cloud.admin.post('/v1/stores', { name, ...fields })).data.id,
    alertsWith: (rule: { id: string }, { deviceId }: PairedDevice) =>
      alertsOf(rule, `&device_id=${deviceId}`),
    eventsOf: (alert: { id: string }) => get(`/v1/events?resource=${alert.id}&limit=100`),
    /** Faults as a device reports them. */
    faults: (...codes: string[]): Report => ({
      faults: codes.map((code) => ({ code, since: new Date(cloud.clock.nowMs()).toISOString(), facts: {} })),
    }),
    passUntil,
    /** Lets so many minutes pass in the same way. */
    async passMinutes(this: void, minutes: number): Promise<void> {
      const untilMs = cloud.clock.nowMs() + minutes * MINUTE_MS;
      await passUntil(async () => expect(cloud.clock.nowMs()).toBeGreaterThan(untilMs));
    },
    /** Devices of a store, or of none, as if they had just reported. */
    async createDevices(this: void, storeId: string | null, count: number): Promise<string[]> {
      const ids = Array.from(
        { length: count },
        () => `dev_${crypto.randomUUID().replaceAll('-', '').slice(6)}`,
      );
      await cloud.inDatabase(async (db) => {
        for (const id of ids) {
          await insertDevice(db, id, { store_id: storeId, created_at: cloud.clock.nowMs() });
        }
      });
      await touch(ids);
      return ids;
    },
  };
}

import type { RolloutCause, RolloutDeviceStatus, RolloutStatus } from '@placard/protocol/api';
import { openDatabase } from '../../src/database/open-database.ts';
import { storedCause } from '../../src/database/rollouts.ts';
import { formatHealth, NO_TOTALS, NONE } from '../../src/domain/device-health.ts';
import type { HealthTotals } from '../../src/domain/device-health.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAY_MINUTES = 24 * 60;
const FRAMES_PER_DAY = 2_000_000;
const DAYS_BEFORE = 7;

/** What a screen reports in a day. */
export interface DailyHealth {
  restarts: number;
  faults: number;
  /** From 0 to 1. */
  dropped: number;
  startMs: number;
}

export interface WrittenDevice {
  id: string;
  kind: string;
  ring: number;
  status: RolloutDeviceStatus;
  code?: string;
  /** Null: it is not compared. */
  health: { before: DailyHealth; after: DailyHealth } | null;
}

export interface WrittenRollout {
  id: string;
  name: string | null;
  version: string;
  fromVersion: string;
  rings: readonly number[];
  ring: number;
  status: RolloutStatus;
  cause: RolloutCause | null;
  beganMs: number;
  /** Since when the devices of the ring are compared; null: not yet. */
  observedFromMs: number | null;
  finishedMs: number | null;
  devices: readonly WrittenDevice[];
}

const totalsOf = (days: number, { restarts, faults, dropped, startMs }: DailyHealth): HealthTotals => ({
  minutes: days * DAY_MINUTES,
  faults: faults * days,
  frames: FRAMES_PER_DAY * days,
  dropped: FRAMES_PER_DAY * days * dropped,
  countedMinutes: days * DAY_MINUTES,
  starts: restarts * days,
  pictures: 1,
  logMs: Math.log(startMs),
});

const addTotals = (a: HealthTotals, b: HealthTotals): HealthTotals => ({
  minutes: a.minutes + b.minutes,
  faults: a.faults + b.faults,
  frames: a.frames + b.frames,
  dropped: a.dropped + b.dropped,
  countedMinutes: a.countedMinutes + b.countedMinutes,
  starts: a.starts + b.starts,
  pictures: a.pictures + b.pictures,
  logMs: a.logMs + b.logMs,
});

/** Writes a rollout into the database of a cloud as it is after days, with what its devices have reported until now. */
export async function writeRollout(
  dataDir: string,
  nowMs: number,
  { devices, ...rollout }: WrittenRollout,
): Promise<void> {
  const db = await openDatabase(dataDir);
  const toldMs = rollout.beganMs + HOUR_MS;
  const { observedFromMs: observedMs } = rollout;
  const healthAt = (atMs: number, totals: HealthTotals) =>
    formatHealth({
      at: atMs,
      // The player does not count them.
      starts: NONE,
      pictureOf: NONE,
      drawn: 0,
      dropped: 0,
      totals,
      marks: [{ at: rollout.beganMs - DAYS_BEFORE * DAY_MS, totals: NO_TOTALS }],
      shell: 'chromium',
    });
  try {
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto('rollouts')
        .values({
          id: rollout.id,
          name: rollout.name,
          version: rollout.version,
          filter: '{}',
          rings: JSON.stringify(rollout.rings),
          hold_hours: DAYS_BEFORE * 24,
          status: rollout.status,
          reason: rollout.cause && storedCause(rollout.cause).reason,
          ring: rollout.ring,
          ring_started_at: rollout.beganMs,
          told_at: toldMs,
          observed_from: observedMs,
          // All that are due.
          looks: 100,
          compared: devices.filter(({ health, status }) => health && status === 'updated').length,
          fleet: devices.length,
          self_updating: 0,
          counts: null,
          actor_type: 'api_key',
          actor_id: 'key_1',
          actor_name: 'Test',
          address: '127.0.0.1',
          request_id: 'req_1',
          created_at: rollout.beganMs,
          finished_at: rollout.finishedMs,
        })
        .execute();
      for (const [position, { id, health, code = null, ...device }] of devices.entries()) {
        const before = health && totalsOf(DAYS_BEFORE, health.before);
        const isTold = device.status !== 'waiting';
        await trx
          .insertInto('rollout_devices')
          .values({
            rollout_id: rollout.id,
            position,
            device_id: id,
            ...device,
            code,
            from_version: rollout.fromVersion,
            command_id: null,
            told_at: isTold ? toldMs : null,
            updated_at: device.status === 'updated' ? toldMs + HOUR_MS / 6 : null,
            health_before: before && `${healthAt(rollout.beganMs, before)}@${rollout.beganMs}`,
            health_after:
              before && observedMs !== null ? `${healthAt(observedMs, before)}@${observedMs}` : null,
          })
          .execute();
        if (health && before && observedMs !== null) {
          const after = totalsOf((nowMs - observedMs) / DAY_MS, health.after);
          await trx
            .updateTable('device_live')
            .set({
              health: healthAt(nowMs, addTotals(before, after)),
              last_seen: nowMs,
              last_heartbeat: nowMs,
            })
            .where('device', 'in', (query) =>
              query.selectFrom('devices').select('number').where('id', '=', id),
            )
            .execute();
        }
      }
    });
  } finally {
    await db.destroy();
  }
}

import { kindFields } from '../../../packages/cloud/src/domain/rollout-kind.ts';
import { writeRollout } from '../../../packages/cloud/test/support/write-rollout.ts';
import type { DailyHealth, WrittenDevice } from '../../../packages/cloud/test/support/write-rollout.ts';
import type { ConsoleRig } from '../../e2e/console-rig.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const CHROMIUM = 'Raspberry Pi 4 Model B with chromium';
const ELECTRON = 'Raspberry Pi 5 Model B with electron';
const HEALTH: Readonly<Record<string, DailyHealth>> = {
  [CHROMIUM]: { restarts: 0.14, faults: 0.25, dropped: 0.0042, startMs: 7200 },
  [ELECTRON]: { restarts: 0.1, faults: 0.31, dropped: 0.0008, startMs: 3400 },
};
/** Devices of the first ring of the one that was stopped. */
const UPDATED = 10;

/**
 * Rollouts that have finished, that stopped because a board became worse, and that are at their second ring.
 *
 * @param devices with the version that each reports, `0.1.0` or an older one
 */
export async function addRollouts(
  { dataDir }: ConsoleRig,
  devices: readonly { id: string; index: number; version: string }[],
) {
  const nowMs = Date.now();
  const kindOf = (index: number) => (index % 4 < 2 ? CHROMIUM : ELECTRON);
  const plain = (status: WrittenDevice['status'], ring: number) => (device: (typeof devices)[number]) => ({
    id: device.id,
    kind: kindOf(device.index),
    ring,
    status,
    health: null,
  });
  const finishedId = 'rollout_00000000000000000000000001';
  await writeRollout(dataDir, nowMs, {
    id: finishedId,
    name: null,
    version: '0.0.9',
    fromVersion: '0.0.8',
    rings: [1, 10, 100],
    ring: 3,
    status: 'finished',
    cause: null,
    beganMs: nowMs - 40 * DAY_MS,
    observedFromMs: null,
    finishedMs: nowMs - 22 * DAY_MS,
    devices: devices.map((device, index) => plain(index % 29 === 7 ? 'failed' : 'updated', 3)(device)),
  });

  const stoppedRolloutId = 'rollout_00000000000000000000000002';
  const updated = devices.filter(({ version }) => version === '0.1.0').slice(0, UPDATED);
  const failed = devices.slice(-2);
  const others = devices.slice(0, -2).filter(({ version }) => version !== '0.1.0');
  const compared = (status: 'updated' | 'waiting', ring: number) => (device: (typeof devices)[number]) => {
    const kind = kindOf(device.index);
    const before = HEALTH[kind]!;
    const after = {
      ...before,
      restarts: status === 'waiting' ? 0.09 : kind === CHROMIUM ? 2.3 : 0.2,
      startMs: before.startMs * 1.04,
    };
    return { id: device.id, kind, ring, status, health: { before, after } };
  };
  await writeRollout(dataDir, nowMs, {
    id: stoppedRolloutId,
    name: 'Update nach dem Weihnachtsgeschäft, für Schaufenster, Kassen und Menütafeln in allen Filialen',
    version: '0.1.0',
    fromVersion: '0.0.9',
    rings: [25, 100],
    ring: 1,
    status: 'stopped',
    cause: {
      type: 'worse',
      measure: 'restarts',
      ...kindFields(CHROMIUM),
      updated: updated.filter(({ index }) => kindOf(index) === CHROMIUM).length,
      before: 0.14,
      after: 2.3,
      others: others.filter(({ index }) => kindOf(index) === CHROMIUM).length,
      others_before: 0.14,
      others_after: 0.09,
    },
    beganMs: nowMs - 8 * DAY_MS,
    observedFromMs: nowMs - 7 * DAY_MS,
    finishedMs: nowMs - 6 * DAY_MS,
    devices: [
      ...updated.map(compared('updated', 1)),
      ...failed.map((device) => ({ ...plain('failed', 1)(device), code: 'not_offered' })),
      ...others.map(compared('waiting', 2)),
    ],
  });

  const runningRolloutId = 'rollout_00000000000000000000000003';
  await writeRollout(dataDir, nowMs, {
    id: runningRolloutId,
    name: 'Winter',
    version: '0.1.1',
    fromVersion: '0.1.0',
    rings: [1, 10, 100],
    ring: 2,
    status: 'running',
    cause: null,
    beganMs: nowMs - 75 * MINUTE_MS,
    observedFromMs: null,
    finishedMs: null,
    devices: devices.map((device, index) =>
      index === 0
        ? plain('updated', 1)(device)
        : index < 3
          ? plain('updated', 2)(device)
          : index < 6
            ? plain('told', 2)(device)
            : plain('waiting', 3)(device),
    ),
  });
  return { runningRolloutId, stoppedRolloutId };
}

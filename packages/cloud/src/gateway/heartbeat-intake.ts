import { setImmediate } from 'node:timers/promises';
import type { HeartbeatRequest, HeartbeatResponse, IdKind, WireCommand } from '@placard/protocol';
import type { Logger } from 'pino';
import { createDailyQuota } from '../domain/daily-quota.ts';
import { applyHeartbeat, nowPlayingEvent, previousReport } from '../domain/heartbeat-state.ts';
import type { EditTracing } from '../domain/edit-tracing.ts';
import { HEARTBEAT_INTERVAL_SECONDS } from '../domain/presence.ts';
import { toIso } from '../domain/iso-time.ts';
import { presentDevice } from '../http-server/present.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import { recordTogether } from './record-together.ts';
import { createCommitPace } from './commit-pace.ts';
import { deliverPendingCommands } from './commands.ts';
import { deviceUnpairedError, requirePairedDevice } from './paired-device.ts';
import { markDeviceSeen } from './presence.ts';

/** A player samples once a minute and sends a backlog after it was offline; samples beyond this are ignored. */
const MAX_SAMPLES_PER_DAY = 100_000;
/** Faults per device and day that are sent to webhooks. */
const MAX_ALERTS_PER_DAY = 500;
/** Events per device and day that it shows something else. */
const MAX_SHOWS_PER_DAY = 1_000;
/**
 * Transactions begin at least this far apart: no device minds when its heartbeat is acknowledged. With 20 ms, a heartbeat
 * of 100,000 devices takes a fifth more of the processor, and with 5 ms again a third more.
 */
const COMMIT_INTERVAL_MS = 40;
/** For how long it is remembered whether a rollout says when devices update. */
const HOLD_KNOWN_MS = 2000;
/** Heartbeats in one transaction: more would delay other requests by more than a few milliseconds. */
const MAX_BATCH = 256;

/** What the response says beside the revision. */
interface Recorded {
  /** Those that are waiting. */
  commands: WireCommand[];
  updatesHeld: boolean;
}

const isSome = (value: object | null): boolean => value !== null;

interface WaitingHeartbeat {
  deviceId: string;
  request: HeartbeatRequest;
  nowMs: number;
  answer: (response: HeartbeatResponse | Promise<HeartbeatResponse>) => void;
  fail: (error: unknown) => void;
}

export interface HeartbeatIntake {
  /**
   * Records a heartbeat; resolves with the response once it is on the disk. Rejects with `DEVICE_UNPAIRED` if the device
   * was removed, or with the failure of the storage.
   */
  receive: (deviceId: string, request: HeartbeatRequest, nowMs: number) => Promise<HeartbeatResponse>;
}

/**
 * Receives heartbeats. Ordinary ones that arrive within 40 ms share a transaction, because each waits for the disk:
 * 1,700 per second (100,000 devices) would need as many. Others, and all of a batch that failed, have their own, so that
 * one that fails does so alone. A failure of the storage refuses all that are waiting.
 */
export function createHeartbeatIntake({
  database,
  log,
  newId,
  tracing,
}: {
  database: CloudDatabase;
  log: Logger;
  newId: (kind: IdKind) => string;
  tracing: Pick<EditTracing, 'applied'>;
}): HeartbeatIntake {
  const received = createDailyQuota(MAX_SAMPLES_PER_DAY);
  const alerts = createDailyQuota(MAX_ALERTS_PER_DAY);
  const shows = createDailyQuota(MAX_SHOWS_PER_DAY);
  const newEventId = () => newId('event');
  const waiting: WaitingHeartbeat[] = [];
  /** Number of heartbeats of a device in transactions of their own: those that follow them must not overtake them. */
  const pendingAlone = new Map<string, number>();
  const untilNextBatch = createCommitPace(COMMIT_INTERVAL_MS);
  let isRunning = false;
  let hold = { isHeld: false, askedMs: -Infinity };

  /** Not asked again within seconds: it changes with a rollout. */
  const holdsUpdates = async (nowMs: number): Promise<boolean> => {
    if (Math.abs(nowMs - hold.askedMs) >= HOLD_KNOWN_MS) {
      const isHeld = await database.rollouts.findHolding().then(isSome, () => hold.isHeld);
      hold = { isHeld, askedMs: nowMs };
    }
    return hold.isHeld;
  };

  const recordBatches = async (): Promise<void> => {
    while (waiting.length > 0) {
      await untilNextBatch(waiting.length >= MAX_BATCH);
      const batch = waiting.splice(0, MAX_BATCH);
      const together = batch.filter(({ deviceId }) => !pendingAlone.has(deviceId));
      const arrived = together.map((each) => ({
        ...each,
        maxNewSamples: received.remaining(each.deviceId, each.nowMs),
        newEventId: shows.remaining(each.deviceId, each.nowMs) > 0 ? newEventId : null,
      }));
      const recorded = await recordTogether(() => database.recordOrdinaryHeartbeats(arrived), {
        takeWaiting: () => [...batch, ...waiting.splice(0)],
        event: 'heartbeats.batch_failed',
        log,
      });
      if (recorded === 'refused') {
        continue;
      }
      const updatesHeld = await holdsUpdates(batch[0]?.nowMs ?? 0);
      if (batch.length > MAX_BATCH / 4) {
        // Recording a full batch takes some milliseconds, and so does answering it; other requests come in between.
        await setImmediate();
      }
      let next = 0;
      for (const each of batch) {
        const { deviceId, request, nowMs, answer, fail } = each;
        const result = each === together[next] ? recorded?.[next++] : undefined;
        if (result) {
          received.add(deviceId, result.newSamples, nowMs);
          shows.add(deviceId, result.hasEvent ? 1 : 0, nowMs);
          try {
            answer(responseTo(deviceId, { commands: [], updatesHeld }, nowMs));
          } catch (error) {
            // It is recorded. The others are still answered.
            fail(error);
          }
        } else {
          answer(
            recordAlone(deviceId, request, nowMs).then((recorded) => responseTo(deviceId, recorded, nowMs)),
          );
        }
      }
    }
    isRunning = false;
  };

  const responseTo = (
    deviceId: string,
    { commands, updatesHeld }: Recorded,
    nowMs: number,
  ): HeartbeatResponse | Promise<HeartbeatResponse> => {
    const withRevision = (revision: string | null): HeartbeatResponse => {
      if (revision === null) {
        throw deviceUnpairedError();
      }
      return {
        server_time: toIso(nowMs),
        manifest_revision: revision,
        commands,
        next_heartbeat_in: HEARTBEAT_INTERVAL_SECONDS,
        ...(updatesHeld ? { updates_held: true } : {}),
      };
    };
    const revision = database.manifestRevisionOf(deviceId);
    // Nearly always known at once: a promise would take three turns of the microtasks.
    return typeof revision === 'string' ? withRevision(revision) : revision.then(withRevision);
  };

  const recordAlone = async (
    deviceId: string,
    request: HeartbeatRequest,
    nowMs: number,
  ): Promise<Recorded> => {
    pendingAlone.set(deviceId, (pendingAlone.get(deviceId) ?? 0) + 1);
    try {
      return await recordInTransaction(deviceId, request, nowMs);
    } finally {
      const others = (pendingAlone.get(deviceId) ?? 1) - 1;
      if (others > 0) {
        pendingAlone.set(deviceId, others);
      } else {
        pendingAlone.delete(deviceId);
      }
    }
  };

  /** Handles every case, in a transaction of its own. */
  const recordInTransaction = (
    deviceId: string,
    request: HeartbeatRequest,
    nowMs: number,
  ): Promise<Recorded> =>
    database.transaction(async (tx) => {
      const device = await requirePairedDevice(tx, deviceId);
      await markDeviceSeen(tx, device, nowMs);
      const { samples, newFaults, nowPlaying, live } = applyHeartbeat(previousReport(device), request, nowMs);
      const acceptedSamples = samples.slice(0, received.remaining(device.id, nowMs));
      if (acceptedSamples.length < samples.length && received.markExceeded(device.id, nowMs)) {
        log.warn({ device_id: device.id, limit: received.limit }, 'samples.quota_exceeded');
      }
      received.add(device.id, await tx.heartbeats.add(device, acceptedSamples, nowMs), nowMs);
      await tx.devices.updateLive(device.number, live);
      if (nowPlaying !== undefined && shows.remaining(device.id, nowMs) > 0) {
        shows.add(device.id, 1, nowMs);
        tx.recordEvent(nowPlayingEvent(device.id, nowPlaying));
      }
      if (device.player_version !== request.state.player_version) {
        await tx.devices.update(device.id, { player_version: request.state.player_version });
      }
      const alertedFaults = newFaults.slice(0, alerts.remaining(device.id, nowMs));
      alerts.add(device.id, alertedFaults.length, nowMs);
      const fullDevice = alertedFaults.length > 0 ? await tx.devices.find(device.id) : undefined;
      for (const fault of fullDevice ? alertedFaults : []) {
        tx.recordEvent({
          type: 'device.alert',
          resource: device.id,
          data: { device: fullDevice && presentDevice(fullDevice), fault },
        });
      }
      return {
        commands: await deliverPendingCommands(tx, device.id, nowMs),
        updatesHeld: isSome(await tx.rollouts.findHolding()),
      };
    });

  return {
    receive: (deviceId, request, nowMs) =>
      new Promise((answer, fail) => {
        tracing.applied(deviceId, request.state.applied_manifest_revision);
        waiting.push({ deviceId, request, nowMs, answer, fail });
        if (!isRunning) {
          isRunning = true;
          void recordBatches();
        }
      }),
  };
}

import type { HeartbeatRequest, HeartbeatSample, ReportedFault } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import type { Logger } from 'pino';
import { DAY_MS } from '../domain/durations.ts';
import { createDailyQuota } from '../domain/daily-quota.ts';
import type { DailyQuota } from '../domain/daily-quota.ts';
import { isPlausible, truncateFaultDetails } from '../domain/device-report.ts';
import { clockOffset, latestSample } from '../domain/latest-sample.ts';
import { HEARTBEAT_INTERVAL_SECONDS } from '../domain/presence.ts';
import { ApiError } from '../domain/api-error.ts';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { etagMatches } from '../http-server/etag.ts';
import type { CurrentPlay } from '../database/devices.ts';
import { toIso } from '../domain/iso-time.ts';
import { presentDevice } from '../http-server/present.ts';
import type { Row } from '../database/schema.ts';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { deliverPendingCommands, applyCommandReport } from './commands.ts';
import { deviceUnpairedError, requireDeviceId, requirePairedDevice } from './paired-device.ts';
import { markDeviceSeen } from './presence.ts';
import type { SeenUpdate } from './presence.ts';

/** Samples further from now than this come from a wrong clock and are ignored. */
const MAX_SAMPLE_AGE_MS = 2 * 366 * DAY_MS;
/** A player samples once a minute and sends a backlog after it was offline; samples beyond this are ignored. */
const MAX_SAMPLES_PER_DAY = 100_000;
/** Faults per device and day that are sent to webhooks. */
const MAX_ALERTS_PER_DAY = 500;

export function playerRoutes({ database, log }: { database: CloudDatabase; log: Logger }): Route[] {
  const received = createDailyQuota(MAX_SAMPLES_PER_DAY);
  const alerts = createDailyQuota(MAX_ALERTS_PER_DAY);
  return [
    route(operations.getManifest, async ({ deviceId, request }) => {
      const manifest = await database.manifests.find(requireDeviceId(deviceId));
      if (!manifest) {
        throw deviceUnpairedError();
      }
      const etag = `"${manifest.revision}"`;
      if (etagMatches(request.headers['if-none-match'], etag)) {
        return { emptyStatus: 304, headers: { etag } };
      }
      return {
        json: manifest.json(),
        headers: { etag, 'cache-control': 'private, no-cache' },
      };
    }),
    route(operations.sendHeartbeats, async ({ deviceId, body, nowMs }) => {
      const commands = await database.transaction(async (tx) => {
        const device = await requirePairedDevice(tx, deviceId);
        const seen = await markDeviceSeen(tx, device, nowMs);
        const samples = body.samples.filter(({ measured_at: at }) => {
          const atMs = Date.parse(at);
          return atMs > nowMs - MAX_SAMPLE_AGE_MS && isPlausible(atMs, nowMs);
        });
        const acceptedSamples = samples.slice(0, received.remaining(device.id, nowMs));
        if (acceptedSamples.length < samples.length && received.markExceeded(device.id, nowMs)) {
          log.warn({ device_id: device.id, limit: received.limit }, 'samples.quota_exceeded');
        }
        received.add(device.id, await tx.heartbeats.add(device.id, acceptedSamples, nowMs), nowMs);
        await recordHeartbeatState(tx, device, body, samples, seen, alerts);
        return deliverPendingCommands(tx, device.id, nowMs);
      });
      return {
        data: {
          server_time: toIso(nowMs),
          manifest_revision: await requireRevision(database, deviceId),
          commands,
          next_heartbeat_in: HEARTBEAT_INTERVAL_SECONDS,
        },
      };
    }),
    route(operations.reportCommand, async ({ deviceId, params, body, nowMs }) =>
      database.transaction(async (tx) => {
        const device = await requirePairedDevice(tx, deviceId);
        const status = await applyCommandReport(tx, device.id, params.id, body, nowMs);
        if (status === null) {
          throw new ApiError('COMMAND_NOT_FOUND', 'This device has no such command.');
        }
        return { data: { id: params.id, status } };
      }),
    ),
  ];
}

async function requireRevision(database: CloudDatabase, deviceId: string | null): Promise<string> {
  const revision = await database.manifestRevisionOf(requireDeviceId(deviceId));
  if (revision === null) {
    throw deviceUnpairedError();
  }
  return revision;
}

/** `samples` are the plausible samples of the heartbeat. */
async function recordHeartbeatState(
  tx: Transaction,
  device: Row<'devices'>,
  { samples: sentSamples, state }: HeartbeatRequest,
  samples: readonly HeartbeatSample[],
  seen: SeenUpdate,
  alerts: DailyQuota,
): Promise<void> {
  const nowMs = seen.last_seen;
  const faults = truncateFaultDetails(state.faults);
  const previousSample: HeartbeatSample | null =
    device.latest_sample === null ? null : JSON.parse(device.latest_sample);
  const latest = latestSample(previousSample, samples, nowMs);
  // Samples of a wrong clock are not stored, but its offset is shown to the operator.
  const measuredTimesMs = (samples.length > 0 ? samples : sentSamples).map((each) =>
    Date.parse(each.measured_at),
  );
  const offsetMs =
    measuredTimesMs.length === 0
      ? null
      : clockOffset({
          newestSampleMs: Math.max(...measuredTimesMs),
          isPlausible: samples.length > 0,
          previousSampleMs: previousSample && Date.parse(previousSample.measured_at),
          lastHeartbeatMs: device.last_heartbeat,
          nowMs,
        });
  const previousCurrent: CurrentPlay | null = device.current === null ? null : JSON.parse(device.current);
  const isSamePlaylist = previousCurrent?.playlist_id === state.current?.playlist_id;
  const current = state.current && {
    ...state.current,
    playlist_since: (isSamePlaylist && previousCurrent?.playlist_since) || state.current.since,
  };
  await tx.devices.update(device.id, {
    ...seen,
    last_heartbeat: nowMs,
    player_version: state.player_version,
    applied_manifest_revision: state.applied_manifest_revision,
    current: current ? JSON.stringify(current) : null,
    storage: JSON.stringify(state.storage),
    frames: state.frames ? JSON.stringify(state.frames) : null,
    tz_version: state.tz_version ?? null,
    faults: JSON.stringify(faults),
    ...(latest ? { latest_sample: JSON.stringify(latest) } : {}),
    ...(offsetMs === null ? {} : { clock_offset_ms: offsetMs }),
  });
  const previousFaults: ReportedFault[] = device.faults === null ? [] : JSON.parse(device.faults);
  const previousCodes = new Set(previousFaults.map((fault) => fault.code));
  const newFaults = faults
    .filter((fault) => !previousCodes.has(fault.code))
    .slice(0, alerts.remaining(device.id, nowMs));
  alerts.add(device.id, newFaults.length, nowMs);
  const fullDevice = newFaults.length > 0 ? await tx.devices.find(device.id) : undefined;
  for (const fault of fullDevice ? newFaults : []) {
    await tx.notifyWebhooks({
      type: 'device.alert',
      resource: device.id,
      data: { device: fullDevice && presentDevice(fullDevice), fault },
    });
  }
}

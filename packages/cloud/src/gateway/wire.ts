import type { HeartbeatRequest, HeartbeatSample, ReportedFault } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import { createDailyQuota } from '../domain/daily-quota.ts';
import type { DailyQuota } from '../domain/daily-quota.ts';
import { isPlausible, shortFaults } from '../domain/device-report.ts';
import { clockOffset, latestReading } from '../domain/latest-reading.ts';
import { HEARTBEAT_SECONDS } from '../domain/presence.ts';
import { refusal } from '../domain/refusal.ts';
import { route } from '../http/call.ts';
import type { Route } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Current } from '../http/devices/devices.ts';
import { iso, presentDevice } from '../http/present.ts';
import type { Row } from '../store/schema.ts';
import type { Work } from '../store/store.ts';
import { deliverWaiting, reportCommand } from './commands.ts';
import { deviceOf, removed } from './device-of.ts';
import { markSeen } from './presence.ts';
import type { Seen } from './presence.ts';

const DAY_MS = 86_400_000;
/** Samples from further away come from a clock that is wrong beyond use. */
const OLDEST_SAMPLE_MS = 2 * 366 * DAY_MS;
/** A screen measures once a minute, and keeps what it could not tell; what is over is passed over. */
const MOST_SAMPLES_A_DAY = 100_000;
/** Faults of one device that webhooks are told of. */
const MOST_ALERTS_A_DAY = 500;

/** What a paired device asks and tells over plain HTTP. */
export function wireRoutes({ store, log }: Pick<HttpDeps, 'store' | 'log'>): Route[] {
  const received = createDailyQuota(MOST_SAMPLES_A_DAY);
  const alerts = createDailyQuota(MOST_ALERTS_A_DAY);
  return [
    route(operations.getManifest, async ({ deviceId, request }) => {
      const [device] = await store.devices.members(deviceId ?? '');
      if (!device) throw removed();
      const tag = `"${device.revision}"`;
      const known = request.headers['if-none-match'];
      if (known !== undefined && known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag))
        return { bare: 304, headers: { etag: tag } };
      const { revision, json } = (await store.manifests()).manifestJsonOf(device.member);
      return {
        json,
        headers: { etag: `"${revision}"`, 'cache-control': 'private, no-cache' },
      };
    }),
    route(operations.sendHeartbeats, async ({ deviceId, body, nowMs }) =>
      store.transaction(async (work) => {
        const device = await deviceOf(work, deviceId);
        const seen = await markSeen(work, device, nowMs);
        const samples = body.samples.filter(({ measured_at: at }) => {
          const atMs = Date.parse(at);
          return atMs > nowMs - OLDEST_SAMPLE_MS && isPlausible(atMs, nowMs);
        });
        const counted = samples.slice(0, received.left(device.id, nowMs));
        if (counted.length < samples.length && received.firstOver(device.id, nowMs))
          log.warn({ event: 'samples.over_quota', deviceId: device.id, limit: received.limit });
        received.add(device.id, await work.heartbeats.add(device.id, counted, nowMs), nowMs);
        await noteState(work, device, body, samples, seen, alerts);
        return {
          data: {
            server_time: iso(nowMs),
            manifest_revision: device.manifest_revision,
            commands: await deliverWaiting(work, device.id, nowMs),
            next_heartbeat_in: HEARTBEAT_SECONDS,
          },
        };
      }),
    ),
    route(operations.reportCommand, async ({ deviceId, params, body, nowMs }) =>
      store.transaction(async (work) => {
        const device = await deviceOf(work, deviceId);
        const status = await reportCommand(work, device.id, params.id, body, nowMs);
        if (status === null) throw refusal('COMMAND_NOT_FOUND', 'This device has no such command.');
        return { data: { id: params.id, status } };
      }),
    ),
  ];
}

/** `samples` are those of the heartbeat that can be true. */
async function noteState(
  work: Work,
  device: Row<'devices'>,
  { samples: sent, state }: HeartbeatRequest,
  samples: readonly HeartbeatSample[],
  seen: Seen,
  alerts: DailyQuota,
): Promise<void> {
  const nowMs = seen.last_seen;
  const faults = shortFaults(state.faults);
  const before: HeartbeatSample | null =
    device.latest_sample === null ? null : JSON.parse(device.latest_sample);
  const latest = latestReading(before, samples, nowMs);
  // A clock that is wrong beyond use is no reading, but it is what an operator wants to see.
  const told = (samples.length > 0 ? samples : sent).map((each) => Date.parse(each.measured_at));
  const offsetMs =
    told.length === 0
      ? null
      : clockOffset({
          newestMs: Math.max(...told),
          plausible: samples.length > 0,
          heldMs: before && Date.parse(before.measured_at),
          lastHeartbeatMs: device.last_heartbeat,
          nowMs,
        });
  const held: Current | null = device.current === null ? null : JSON.parse(device.current);
  const samePlaylist = held?.playlist_id === state.current?.playlist_id;
  const current = state.current && {
    ...state.current,
    playlist_since: (samePlaylist && held?.playlist_since) || state.current.since,
  };
  await work.devices.update(device.id, {
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
  const known: ReportedFault[] = device.faults === null ? [] : JSON.parse(device.faults);
  const knownCodes = new Set(known.map((fault) => fault.code));
  const fresh = faults.filter((fault) => !knownCodes.has(fault.code)).slice(0, alerts.left(device.id, nowMs));
  alerts.add(device.id, fresh.length, nowMs);
  const whole = fresh.length > 0 ? await work.devices.find(device.id) : undefined;
  for (const fault of whole ? fresh : [])
    await work.notify({
      type: 'device.alert',
      resource: device.id,
      data: { device: whole && presentDevice(whole), fault },
    });
}

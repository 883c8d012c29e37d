import { play as playSchema } from '@placard/protocol';
import type { HeartbeatRequest, HeartbeatSample, Play, ReportedFault } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import { faultOfPlay, isPlausible, shortFacts } from '../domain/device-report.ts';
import { HEARTBEAT_SECONDS } from '../domain/presence.ts';
import { refusal } from '../domain/refusal.ts';
import { route } from '../http/call.ts';
import type { Route } from '../http/call.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Current } from '../http/devices/devices.ts';
import { iso, presentDevice } from '../http/present.ts';
import { memberOf } from '../store/devices.ts';
import type { Row } from '../store/schema.ts';
import type { Repositories, Work } from '../store/store.ts';
import { deliverWaiting, reportCommand } from './commands.ts';
import { markSeen } from './presence.ts';
import type { Seen } from './presence.ts';

const DAY_MS = 86_400_000;
/** Samples from further away come from a clock that is wrong beyond use. */
const OLDEST_SAMPLE_MS = 2 * 366 * DAY_MS;

/** A device that was removed between two steps of one request. */
const removed = () => refusal('DEVICE_UNPAIRED', 'This device was removed; it has to be paired again.');

async function deviceOf(from: Repositories, deviceId: string | null): Promise<Row<'devices'>> {
  const row = await from.devices.findRow(deviceId ?? '');
  if (!row) throw removed();
  return row;
}

/** What a paired device asks and tells over plain HTTP. */
export function wireRoutes({ store }: Pick<HttpDeps, 'store'>): Route[] {
  return [
    route(operations.getManifest, async ({ deviceId, request }) => {
      const device = await deviceOf(store, deviceId);
      const tag = `"${device.manifest_revision}"`;
      const known = request.headers['if-none-match'];
      if (known !== undefined && known.split(',').some((each) => each.trim().replace(/^W\//, '') === tag))
        return { bare: 304, headers: { etag: tag } };
      const whole = await store.devices.find(device.id);
      if (!whole) throw removed();
      const manifest = (await store.manifests()).manifestOf(memberOf(whole));
      return {
        data: manifest,
        headers: { etag: `"${manifest.revision}"`, 'cache-control': 'private, no-cache' },
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
        await work.heartbeats.add(device.id, samples, nowMs);
        await noteState(work, device, body, samples, seen);
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
    route(operations.sendPlays, async ({ deviceId, body, nowMs }) =>
      store.transaction(async (work) => {
        const device = await deviceOf(work, deviceId);
        const accepted: string[] = [];
        const rejected: { index: number; id: string | null; message: string }[] = [];
        for (const [index, each] of body.plays.entries()) {
          const play = readPlay(each, nowMs);
          if (typeof play === 'string') {
            rejected.push({ index, id: idOf(each), message: play });
            continue;
          }
          await work.plays.add(device.id, play, nowMs);
          accepted.push(play.id);
        }
        return { data: { accepted, rejected } };
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
): Promise<void> {
  const nowMs = seen.last_seen;
  const faults = state.faults.map((fault) =>
    fault.facts ? { ...fault, facts: shortFacts(fault.facts) } : fault,
  );
  // A clock that is wrong beyond use is no reading, but it is what an operator wants to see.
  const toldAt = (samples.length > 0 ? samples : sent).map((each) => Date.parse(each.measured_at));
  const latest = samples.toSorted((a, b) => Date.parse(a.measured_at) - Date.parse(b.measured_at)).at(-1);
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
    faults: JSON.stringify(faults),
    ...(latest ? { latest_sample: JSON.stringify(latest) } : {}),
    ...(toldAt.length > 0 ? { clock_offset_ms: Math.round(Math.max(...toldAt) - nowMs) } : {}),
  });
  const known: ReportedFault[] = device.faults === null ? [] : JSON.parse(device.faults);
  const before = new Set(known.map((fault) => fault.code));
  const fresh = faults.filter((fault) => !before.has(fault.code));
  const whole = fresh.length > 0 ? await work.devices.find(device.id) : undefined;
  for (const fault of whole ? fresh : [])
    await work.notify({
      type: 'device.alert',
      resource: device.id,
      data: { device: whole && presentDevice(whole), fault },
    });
}

/** The play, or what is wrong with it. */
function readPlay(value: unknown, nowMs: number): Play | string {
  const read = playSchema.safeParse(value);
  if (!read.success)
    return read.error.issues.map((issue) => `${issue.path.join('.') || 'play'}: ${issue.message}`).join('; ');
  return faultOfPlay(read.data, nowMs) ?? read.data;
}

const idOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
    ? value.id.slice(0, 200)
    : null;

import { deviceOperations as operations } from '@placard/protocol/api';
import type { DeviceDetail } from '@placard/protocol/api';
import type { NowPlaying } from '@placard/protocol';
import { HEARTBEAT_SECONDS } from '../../domain/presence.ts';
import { refusal } from '../../domain/refusal.ts';
import type { DeviceRow } from '../../store/devices.ts';
import type { Repositories } from '../../store/store.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { presentDevice, presentDeviceDetail } from '../present.ts';
import { requireRoom, requireStore } from '../require.ts';
import { hashPin, isPin } from '../secrets.ts';

export async function requireDevice(from: Repositories, id: string): Promise<DeviceRow> {
  const row = await from.devices.find(id);
  if (!row) throw refusal('DEVICE_NOT_FOUND', 'The requested device does not exist.');
  return row;
}

/** The full description of a device. */
export async function deviceDetail(from: Repositories, id: string): Promise<DeviceDetail> {
  const row = await requireDevice(from, id);
  const { timezone } = await from.organization.get();
  return presentDeviceDetail(row, {
    timezone,
    heartbeatInterval: HEARTBEAT_SECONDS,
    currentPlaylist: await currentPlaylist(from, row),
  });
}

/** What is on the screen, with the instant since when that playlist has been. */
export type Current = NowPlaying & { playlist_since: string };

async function currentPlaylist(
  from: Repositories,
  row: DeviceRow,
): Promise<DeviceDetail['current_playlist']> {
  if (row.current === null) return null;
  const current: Current = JSON.parse(row.current);
  const known = await from.playlists.existing([current.playlist_id]);
  return {
    id: current.playlist_id,
    name: known.get(current.playlist_id)?.name ?? null,
    schedule_id: current.schedule_id ?? null,
    rule_id: current.rule_id ?? null,
    since: current.playlist_since,
  };
}

/** The same PIN again keeps its hash, so that nothing changes for the device. */
async function pinHashOf(pin: string, held: string | null): Promise<string> {
  return held !== null && (await isPin(pin, held)) ? held : hashPin(pin);
}

export function deviceRoutes({ store }: Pick<HttpDeps, 'store'>): Route[] {
  return [
    route(operations.listDevices, async ({ query }) => {
      const { store_id: storeId, ...filter } = query;
      const { rows, total } = await store.devices.list({ ...filter, storeId });
      return page(rows.map(presentDevice), total, query);
    }),
    route(operations.getDevice, async ({ params }) => ({ data: await deviceDetail(store, params.id) })),
    route(operations.updateDevice, async ({ params, body, nowMs, commit }) => {
      const { tags, configuration: { menu_pin: pin, ...display } = {}, ...change } = body;
      const before = await requireDevice(store, params.id);
      // Takes a while on purpose, so not within the transaction.
      const pinHash = pin ? await pinHashOf(pin, before.menu_pin_hash) : pin;
      return commit(async (work) => {
        const held = await requireDevice(work, params.id);
        if (body.store_id) await requireStore(work, body.store_id);
        await work.devices.update(params.id, {
          ...change,
          ...display,
          ...(pinHash === undefined ? {} : { menu_pin_hash: pinHash }),
          updated_at: nowMs,
        });
        if (tags) await work.devices.setTags(params.id, tags);
        if (tags && tags.length > held.tags.length)
          requireRoom({ deviceTags: await work.devices.countTags() }, 'tags');
        work.affects({ deviceId: params.id });
        await work.settle();
        return { data: await deviceDetail(work, params.id) };
      });
    }),
    route(operations.deleteDevice, async ({ params, nowMs, commit }) =>
      commit(async (work) => {
        const device = await requireDevice(work, params.id);
        const result = JSON.stringify({ reason: 'the device was removed' });
        await work.commands.failOpen(params.id, result, nowMs);
        await work.presence.closeSpan(params.id, nowMs);
        await work.devices.revokeTokens(params.id, nowMs);
        // A screen that never fetched its token asks for a new session, not for this one.
        await work.pairings.finish(params.id);
        await work.schedules.forgetTarget('device', params.id);
        await work.deployments.forgetTarget('device', params.id);
        await work.devices.delete(params.id, device.name, nowMs);
        work.affects('all');
        await work.notify({
          type: 'device.removed',
          resource: params.id,
          data: { device: presentDevice(device) },
        });
        work.announce({ type: 'unpaired', deviceId: params.id });
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

import { deviceOperations as operations } from '@placard/protocol/api';
import type { DeviceDetail } from '@placard/protocol/api';
import { normalizeDisplayChange } from '@placard/protocol';
import { toDisplayColumns } from '../../database/devices.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentDevice } from '../../http-server/present.ts';
import { newestDevicesJson } from './newest-devices-json.ts';
import { removeTarget, requireStore } from '../request-checks.ts';
import { changeDevice } from './change-device.ts';
import { readDeviceDetail, requireDevice } from './device-detail.ts';
import { validationError } from '../../domain/api-error.ts';
import type { SentFile } from '../../domain/sent-files.ts';
import { createDeviceCounter } from './device-counts.ts';
import { listByRevision } from './list-by-revision.ts';
import { hashPin, verifyPin } from '../../http-server/secrets.ts';

/** What can be changed of a device; the rest is what it reports, and follows from other changes. */
function deviceSettings({ name, store_id, tags, configuration }: DeviceDetail) {
  const {
    manifest_revision: _target,
    applied_manifest_revision: _applied,
    timezone: _zone,
    ...display
  } = configuration;
  return { name, store_id, tags, display };
}

/** Keeps the hash when the PIN is unchanged: a new salt would change the manifest of the device. */
async function reuseOrHashPin(pin: string, currentHash: string | null): Promise<string> {
  return currentHash !== null && (await verifyPin(pin, currentHash)) ? currentHash : hashPin(pin);
}

export function deviceRoutes({ database, sentFiles, clock }: HttpDeps): Route[] {
  const countDevices = createDeviceCounter(database, clock);
  return [
    route(operations.listDevices, async ({ query: { revision, ...given }, actor }) => {
      const query = { ...given, stores: actor?.stores ?? undefined };
      const { page, limit, ...others } = query;
      if (revision === undefined) {
        const isPlain = Object.values(others).every((each) => each === undefined);
        if (database.deviceReads && isPlain) {
          const { devices, total } = database.deviceReads.newest({ page, limit });
          return { json: newestDevicesJson(devices), meta: { page, limit, total } };
        }
        return listResult(await database.devices.list(query), presentDevice, query);
      }
      if (page > 1) {
        throw validationError([
          {
            path: 'page',
            message: 'cannot be sent together with revision: use cursor, beginning with first',
          },
        ]);
      }
      return listResult(await listByRevision(database, query, revision), presentDevice, query);
    }),
    route(operations.countDevices, async ({ actor }) => ({
      data: await countDevices(actor?.stores ?? undefined),
    })),
    resourceRoute(database, operations.getDevice, {
      read: async (source, { id }) => readDeviceDetail(source, id),
      settingsOf: deviceSettings,
    }),
    route(operations.updateDevice, async ({ params, body, nowMs, commit }) => {
      const { tags, configuration = {}, ...change } = body;
      const {
        menu_pin: pin,
        screenshots_allowed: allowsScreenshots,
        screenshot_interval_minutes,
        ...display
      } = configuration;
      const before = await requireDevice(database, params.id);
      // The PIN hash is slow on purpose, so it is computed outside the transaction.
      const pinHash = pin ? await reuseOrHashPin(pin, before.menu_pin_hash) : pin;
      let forbidden: SentFile[] = [];
      const result = await commit(async (tx) => {
        const existing = await requireDevice(tx, params.id);
        if (body.store_id) {
          await requireStore(tx, body.store_id);
        }
        const columns = {
          ...change,
          ...toDisplayColumns(normalizeDisplayChange(display, existing.ground)),
          ...(pinHash === undefined ? {} : { menu_pin_hash: pinHash }),
          ...(allowsScreenshots === undefined ? {} : { screenshots_allowed: Number(allowsScreenshots) }),
          ...(screenshot_interval_minutes === undefined ? {} : { screenshot_interval_minutes }),
        };
        if (allowsScreenshots === false) {
          const { screenshots, faultScreenshots } = tx;
          forbidden = [
            ...(await screenshots.delete(params.id)),
            ...(await faultScreenshots.delete(params.id)),
          ];
        }
        return { data: await changeDevice(tx, existing, { columns, tags }, nowMs) };
      });
      await sentFiles.deleteForbidden(forbidden);
      return result;
    }),
    route(operations.deleteDevice, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        const device = await requireDevice(tx, params.id);
        const result = JSON.stringify({ reason: 'the device was removed' });
        await tx.commands.failOpen(params.id, result, nowMs);
        await tx.presence.closeSpan(params.id, nowMs);
        await tx.devices.revokeTokens(params.id, nowMs);
        // A player that never fetched its token must start a new pairing session.
        await tx.pairings.end(params.id);
        await removeTarget(tx, { type: 'device', id: params.id });
        await tx.devices.delete(device, nowMs);
        tx.invalidateManifests({ deviceId: params.id });
        tx.recordEvent({
          type: 'device.removed',
          resource: params.id,
          data: { device: presentDevice(device) },
        });
        tx.publishOnCommit({ type: 'unpaired', deviceId: params.id });
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

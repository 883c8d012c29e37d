import type { Hardware } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { DeviceWithLive } from '../database/devices.ts';
import { decodeDecoders, encodeDecoders } from '../domain/decoders.ts';
import { truncateHardware } from '../domain/pairing-request.ts';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { requirePairedDevice } from './paired-device.ts';

/** The route that receives what devices can play. Most say the same after each start, which writes nothing. */
export const capabilitiesRoute = ({ database }: { database: CloudDatabase }): Route =>
  route(operations.sendCapabilities, async ({ deviceId, body: { videos, hardware } }) => {
    const decoders = encodeDecoders(videos);
    const columnsOf = (device: DeviceWithLive) => ({
      decoders,
      hardware: hardware ? JSON.stringify(mergeHardware(device.hardware, hardware)) : device.hardware,
    });
    const known = await requirePairedDevice(database, deviceId);
    const columns = columnsOf(known);
    if (columns.decoders !== known.decoders || columns.hardware !== known.hardware) {
      await database.transaction(async (tx) => {
        const device = await requirePairedDevice(tx, deviceId);
        const changed = columnsOf(device);
        await tx.devices.update(device.id, changed);
        if (changed.decoders !== device.decoders) {
          // It may get renditions of files now, or no longer.
          tx.invalidateManifests({ deviceId: device.id });
        }
      });
    }
    return { data: { videos: decodeDecoders(decoders).length } };
  });

/** The reported hardware, with model and serial of before where it does not say them. */
function mergeHardware(stored: string | null, reported: Hardware): Hardware {
  // JSON in our own columns was validated when it was written.
  const before: Hardware = stored === null ? {} : JSON.parse(stored);
  return truncateHardware({
    ...before,
    ...reported,
    model: reported.model ?? before.model ?? null,
    serial: before.serial ?? reported.serial ?? null,
  });
}

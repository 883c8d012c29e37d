import type { DeviceDetail } from '@placard/protocol/api';
import { toManifestDevice } from '../../database/devices.ts';
import type { DeviceRow } from '../../database/devices.ts';
import type { CloudDatabase, Repositories } from '../../database/cloud-database.ts';
import type { CurrentPlay } from '../../domain/heartbeat-state.ts';
import { presentDeviceDetail } from '../../http-server/present.ts';
import { requireFound } from '../request-checks.ts';

export const requireDevice = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.devices.find(id), 'DEVICE_NOT_FOUND');

/** `database` may be a transaction: then with its changes. */
export async function readDeviceDetail(
  database: Repositories & Pick<CloudDatabase, 'manifestBuilder'>,
  id: string,
): Promise<DeviceDetail> {
  const row = await requireDevice(database, id);
  const manifests = await database.manifestBuilder();
  return presentDeviceDetail(
    row,
    {
      timezone: manifests.content.settings.timezone,
      manifestRevision: manifests.revisionOf(toManifestDevice(row)),
    },
    await readCurrentPlaylist(database, row),
  );
}

async function readCurrentPlaylist(
  repositories: Repositories,
  row: DeviceRow,
): Promise<DeviceDetail['current_playlist']> {
  if (row.current === null) {
    return null;
  }
  const current: CurrentPlay = JSON.parse(row.current);
  const names = await repositories.playlists.findNames([current.playlist_id]);
  return {
    id: current.playlist_id,
    name: names.get(current.playlist_id) ?? null,
    schedule_id: current.schedule_id ?? null,
    rule_id: current.rule_id ?? null,
    since: current.playlist_since,
  };
}

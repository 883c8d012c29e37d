import type { BulkAction, BulkFilter, VideoWarning } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { findByRevision } from '../devices/list-by-revision.ts';
import { findVideoWarnings } from '../video-warnings/find-video-warnings.ts';

interface NewOperation {
  devices: { ids: readonly string[] } | { filter: BulkFilter };
  action: BulkAction;
}

/**
 * Which videos of a playlist that is deployed cannot be played by some of the devices: those that are named, or that the
 * filter finds now. Before a transaction, because many devices are read.
 */
export async function findOperationWarnings(
  database: CloudDatabase,
  { devices, action }: NewOperation,
): Promise<VideoWarning[]> {
  if (action.type !== 'deploy') {
    return [];
  }
  return findVideoWarnings(database, {
    content: await database.playlists.listVideos([action.playlist_id]),
    async findDevices(yieldIfLong) {
      if ('ids' in devices) {
        return new Set(devices.ids);
      }
      const { revision, ...filter } = devices.filter;
      return revision === undefined
        ? database.devices.findAllMatching(filter, yieldIfLong)
        : findByRevision(database, filter, revision);
    },
  });
}

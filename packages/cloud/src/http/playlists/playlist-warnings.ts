import type { VideoWarning } from '@placard/protocol/api';
import { targetOfKey } from '@placard/schedule';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { slicesOf } from '../../database/paging.ts';
import type { DeviceClass } from '../../domain/device-classes.ts';
import type { ManifestBuilder } from '../../domain/manifest-builder.ts';
import { targetKeysShowing } from '../../domain/manifest-content.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import type { ReportingDevice } from '../../database/decoders.ts';
import { findVideoWarnings } from '../video-warnings/find-video-warnings.ts';
import type { ShownVideo } from '../video-warnings/find-video-warnings.ts';

/** Devices that are read at once: about 4 ms. */
const BATCH_DEVICES = 300;

/**
 * Which videos of the playlist cannot be played by devices that it is deployed to or scheduled for. Before a transaction,
 * because many devices are read.
 *
 * @param stores those that the person who asks is bound to
 * @param contentIds what the playlist will have instead of what it has
 */
export async function findPlaylistWarnings(
  source: CloudDatabase,
  playlistId: string,
  stores: readonly string[] | null | undefined,
  contentIds?: readonly string[],
): Promise<VideoWarning[]> {
  const manifests = await source.manifestBuilder();
  const targets = [...targetKeysShowing(manifests.content, new Set([playlistId]))].map(targetOfKey);
  if (targets.length === 0) {
    return [];
  }
  const content: Iterable<ShownVideo> = contentIds
    ? (await source.assets.findByIds([...new Set(contentIds)])).values()
    : await source.playlists.listVideos([playlistId]);
  const yieldIfLong = createYieldIfLong();
  return findVideoWarnings(source, {
    content,
    findDevices: (yields) => source.devices.findAllReached(targets, yields, stores ?? undefined),
    async keep(found) {
      // A newer deployment of another playlist takes its place on some devices.
      const shows = createShows(manifests, playlistId);
      const kept: ReportingDevice[] = [];
      for (const slice of slicesOf(found, BATCH_DEVICES)) {
        // Of 100,000 devices most are in memory already: reading them all takes seconds.
        await source.manifests.readDevices(slice.map(({ id }) => id));
        for (const device of slice) {
          const known = source.manifests.classify(device.id);
          if (known && shows(known.deviceClass)) {
            kept.push(device);
          }
        }
        await yieldIfLong();
      }
      return kept;
    },
  });
}

/** Whether the playlist is the deployed one of the devices of a class, or of a rule for them; found once for each class. */
function createShows(manifests: ManifestBuilder, playlistId: string) {
  const known = new Map<DeviceClass, boolean>();
  return (deviceClass: DeviceClass): boolean => {
    const shows = known.get(deviceClass) ?? manifests.playlistIdsOf(deviceClass).includes(playlistId);
    known.set(deviceClass, shows);
    return shows;
  };
}

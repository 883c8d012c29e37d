import type { VideoWarning } from '@placard/protocol/api';
import { targetOfKey } from '@placard/schedule';
import type { ResourceSource } from '../../http-server/operation-route.ts';
import { slicesOf } from '../../database/paging.ts';
import type { DeviceClass } from '../../domain/device-classes.ts';
import type { ManifestBuilder, ManifestDevice } from '../../domain/manifest-builder.ts';
import { targetKeysShowing } from '../../domain/manifest-content.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { findVideoWarnings } from '../video-warnings/find-video-warnings.ts';
import type { ShownVideo } from '../video-warnings/find-video-warnings.ts';

/** Devices that are read at once: about 2 ms. */
const BATCH_DEVICES = 300;

/**
 * Which videos of the playlist cannot be played by devices that it is deployed to or scheduled for. Before a transaction,
 * because many devices are read.
 *
 * @param stores those that the person who asks is bound to
 * @param contentIds what the playlist will have instead of what it has
 */
export async function findPlaylistWarnings(
  source: ResourceSource,
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
  return findVideoWarnings(source, { content, targets, stores: stores ?? undefined }, async (found) => {
    // A newer deployment of another playlist takes its place on some devices.
    const shows = createShows(manifests, playlistId);
    const kept = new Set<string>();
    for (const slice of slicesOf(found, BATCH_DEVICES)) {
      for (const device of await source.devices.findManifestDevices(slice.map(({ id }) => id))) {
        if (shows(device)) {
          kept.add(device.id);
        }
      }
      await yieldIfLong();
    }
    return found.filter(({ id }) => kept.has(id));
  });
}

/** Whether the playlist is the deployed one of a device, or of a rule for it; computed once for devices that are reached alike. */
function createShows(manifests: ManifestBuilder, playlistId: string) {
  const known = new Map<DeviceClass, boolean>();
  return (device: ManifestDevice): boolean => {
    const deviceClass = manifests.classOf(device);
    const shows =
      known.get(deviceClass) ??
      (manifests.basePlaylistIdOf(device) === playlistId ||
        manifests
          .schedulesTargeting(device)
          .some(({ manifest }) => manifest.rules.some((rule) => rule.playlist_id === playlistId)));
    known.set(deviceClass, shows);
    return shows;
  };
}

import type { VideoWarning } from '@placard/protocol/api';
import { targetOfKey } from '@placard/schedule';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { ReportingDevice } from '../../database/decoders.ts';
import { slicesOf } from '../../database/paging.ts';
import type { DeviceClass } from '../../domain/device-classes.ts';
import type { ManifestBuilder } from '../../domain/manifest-builder.ts';
import { targetKeysShowing } from '../../domain/manifest-content.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { findVideoWarnings } from './find-video-warnings.ts';
import type { ShownVideo } from './find-video-warnings.ts';

/** Devices that are read at once: about 4 ms. */
const BATCH_DEVICES = 300;

interface ShownPlaylists {
  playlistIds: ReadonlySet<string>;
  /** Reads what they show; asked only when a device may show it. */
  content: () => Promise<Iterable<ShownVideo>>;
  /** Those that the person who asks is bound to. */
  stores: readonly string[] | null | undefined;
  /** Whether the files are about to be stored, and have no copies yet. */
  isNew?: boolean;
}

/**
 * Which of the videos cannot be played by devices that one of the playlists is deployed to or scheduled for. Before a
 * transaction, because many devices are read.
 */
export async function findShownWarnings(
  source: CloudDatabase,
  { playlistIds, content, stores, isNew = false }: ShownPlaylists,
): Promise<VideoWarning[]> {
  const manifests = await source.manifestBuilder();
  const targets = [...targetKeysShowing(manifests.content, playlistIds)].map(targetOfKey);
  if (targets.length === 0) {
    return [];
  }
  const yieldIfLong = createYieldIfLong();
  return findVideoWarnings(source, {
    content: await content(),
    isNew,
    findDevices: (yields) => source.devices.findAllReached(targets, yields, stores ?? undefined),
    async keep(found) {
      // A newer deployment of another playlist takes its place on some devices.
      const shows = createShows(manifests, playlistIds);
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

/** Whether one of the playlists is the deployed one of the devices of a class, or of a rule for them; found once for each class. */
function createShows(manifests: ManifestBuilder, playlistIds: ReadonlySet<string>) {
  const known = new Map<DeviceClass, boolean>();
  return (deviceClass: DeviceClass): boolean => {
    const shows =
      known.get(deviceClass) ?? manifests.playlistIdsOf(deviceClass).some((id) => playlistIds.has(id));
    known.set(deviceClass, shows);
    return shows;
  };
}

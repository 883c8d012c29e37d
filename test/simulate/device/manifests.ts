import { createHash } from 'node:crypto';
import { Fault } from '@placard/protocol';
import type { Manifest } from '@placard/protocol';
import { toNetworkFault } from '../../../src/adapters/cloud-link/network-faults.ts';
import { backoffMs } from '../../../src/core/backoff.ts';
import type { DeviceContext } from './context.ts';

/** As a player does. */
const RETRY = { baseMs: 2_000, capMs: 60_000 };
/** A device needs few of them to report what it shows. */
const MAX_ITEMS = 8;

/** Fetches the manifest when the cloud has another one, and its files. */
export function createManifests(device: DeviceContext) {
  const { clock, disk, figures, settings } = device;
  let wanted: string | null = null;
  let isRunning = false;

  async function fetchFiles({ assets }: Manifest, signal: AbortSignal): Promise<void> {
    for (const { sha256, url } of settings.media === 'none' ? [] : assets) {
      if (disk.media.has(sha256)) {
        continue;
      }
      try {
        const { statusCode, body } = await device.server.agent.request({
          origin: new URL(url).origin,
          path: new URL(url).pathname + new URL(url).search,
          method: settings.media === 'head' ? 'HEAD' : 'GET',
          signal,
        });
        const hash = createHash('sha256');
        let bytes = 0;
        for await (const chunk of body as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          hash.update(chunk);
        }
        const isRight = settings.media === 'head' || hash.digest('hex') === sha256;
        if (statusCode !== 200 || !isRight) {
          throw new Fault('cloud.refused', 'later', { status: statusCode, isRight });
        }
        figures.count('media_files');
        figures.count('media_bytes', bytes);
        disk.media.add(sha256);
      } catch (error) {
        throw toNetworkFault(error, { path: 'media' });
      }
    }
  }

  async function fetchOnce(signal: AbortSignal): Promise<void> {
    const beganMs = clock.monoMs();
    const response = await device.link.fetchManifest(disk.revision, signal);
    if (response.kind === 'unpaired') {
      return device.onUnpaired();
    }
    figures.time('manifest', clock.monoMs() - beganMs);
    figures.count('manifests');
    if (response.kind === 'manifest') {
      const { manifest } = response;
      await fetchFiles(manifest, signal);
      const base = manifest.playlists.find(({ id }) => id === manifest.base_playlist_id);
      disk.playlistId = base?.id ?? null;
      disk.items = (base?.items ?? [])
        .slice(0, MAX_ITEMS)
        .map(({ id, content_id: contentId }) => ({ id, contentId }));
      disk.revision = manifest.revision;
    }
  }

  async function fetchUntilDone(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; wanted !== disk.revision && !signal.aborted; attempt++) {
      const asked = wanted;
      try {
        await fetchOnce(signal);
        // The cloud may have said a revision that is already out of date.
        wanted = wanted === asked ? disk.revision : wanted;
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        device.failed('manifest', error);
        const pauseMs = backoffMs(attempt, device.random.next(), RETRY);
        const isTold = error instanceof Fault && typeof error.retry === 'object';
        await clock.sleep(isTold ? error.retry.afterMs : pauseMs, signal);
      }
    }
  }

  return {
    /** The cloud says that this is its revision. */
    async onRevision(revision: string, signal: AbortSignal): Promise<void> {
      wanted = revision;
      if (isRunning) {
        return;
      }
      isRunning = true;
      await fetchUntilDone(signal).finally(() => {
        isRunning = false;
      });
    },
    /** Fetches it in any case; throws a `Fault`. */
    refresh: fetchOnce,
  };
}

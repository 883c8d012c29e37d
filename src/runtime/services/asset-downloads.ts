import { Fault } from '@placard/protocol';
import type { Manifest, ManifestAsset } from '@placard/protocol';
import { backoffMs, jitteredRetryAfterMs } from '../../core/backoff.ts';
import { requireMediaHost } from '../../core/sync/media-hosts.ts';
import { countFailure } from '../../core/sync/sync-plan.ts';
import type { SyncProblem } from '../../core/sync/sync-plan.ts';
import type { ServiceDeps } from '../base/service-deps.ts';

interface AssetDownloadsDeps extends Pick<
  ServiceDeps,
  'clock' | 'random' | 'media' | 'server' | 'onCachedMediaChange' | 'log'
> {
  /** A download has succeeded, failed or been aborted. */
  onEnd(): void;
}

const RETRY = { baseMs: 5_000, capMs: 10 * 60_000 };

/** The downloads that are running, and what went wrong with the ones before. */
export function createAssetDownloads(deps: AssetDownloadsDeps) {
  const { clock, media, random, log } = deps;
  /** The latest failure of each asset that is still missing, by hash. */
  const problems = new Map<string, SyncProblem>();
  const downloads = new Map<string, { done: Promise<void>; abort: AbortController }>();

  async function fetch(asset: ManifestAsset, manifest: Manifest | null, signal: AbortSignal): Promise<void> {
    try {
      requireMediaHost(asset, manifest, deps.server);
      await media.fetch(asset, signal, (url) => requireMediaHost(asset, manifest, deps.server, url));
      problems.delete(asset.sha256);
      deps.onCachedMediaChange(media.cachedHashes());
    } catch (error) {
      if (!signal.aborted) {
        recordProblem(asset, error);
      }
    }
  }

  function recordProblem(asset: ManifestAsset, error: unknown): void {
    const fault = error instanceof Fault ? error : new Fault('asset.download_failed', 'later', {}, error);
    const before = problems.get(asset.sha256);
    const attempts = (before?.attempts ?? 0) + 1;
    const waitMs =
      typeof fault.retry === 'object'
        ? jitteredRetryAfterMs(fault.retry.afterMs, random.next())
        : backoffMs(attempts - 1, random.next(), RETRY);
    log.warn(
      { code: fault.code, asset_id: asset.id, attempts, wait_ms: waitMs, ...fault.details },
      'asset.fetch_failed',
    );
    problems.set(asset.sha256, {
      code: fault.code,
      attempts,
      failureCounts: countFailure(before?.failureCounts ?? {}, fault),
      retryAtMonoMs: clock.monoMs() + waitMs,
    });
  }

  return {
    /** Hashes being downloaded now. */
    running: (): ReadonlySet<string> => new Set(downloads.keys()),
    problems,
    /** `manifest`: the one that references the asset. */
    start(asset: ManifestAsset, manifest: Manifest | null, signal: AbortSignal) {
      const abort = new AbortController();
      const stop = () => abort.abort();
      signal.addEventListener('abort', stop, { once: true });
      const done = fetch(asset, manifest, abort.signal).finally(() => {
        signal.removeEventListener('abort', stop);
        downloads.delete(asset.sha256);
        deps.onEnd();
      });
      downloads.set(asset.sha256, { done, abort });
    },
    /** Aborts the downloads of all other hashes, so that these get the bandwidth, and drops their problems. */
    keepOnly(hashes: ReadonlySet<string>) {
      for (const [sha256, { abort }] of downloads) {
        if (!hashes.has(sha256)) {
          abort.abort();
        }
      }
      for (const sha256 of problems.keys()) {
        if (!hashes.has(sha256)) {
          problems.delete(sha256);
        }
      }
    },
    /** There is more space on the disk: files that did not fit are tried again, in the order of need. */
    retryDiskFull() {
      for (const [sha256, { code }] of problems) {
        if (code === 'disk.full') {
          problems.delete(sha256);
        }
      }
    },
    /** Resolves when no download is running any more. */
    async settled() {
      await Promise.all([...downloads.values()].map(({ done }) => done));
    },
  };
}

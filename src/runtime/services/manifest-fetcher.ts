import { Fault } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import type { StoredManifest } from '../../core/stored-manifest.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { SyncFaults } from './sync-faults.ts';

interface ManifestFetcherDeps extends Pick<
  ServiceDeps,
  'clock' | 'random' | 'link' | 'playerState' | 'onUnpaired' | 'log'
> {
  faults: SyncFaults;
  /** The newest manifest that this player has; null: none. */
  newest(): StoredManifest | null;
  /** Throws `Fault` when the manifest cannot be used or saved. */
  accept(manifest: StoredManifest): void;
}

const RETRY = { baseMs: 2_000, capMs: 60_000 };

/** Fetches the manifest when the cloud has another one, until it has succeeded. */
export function createManifestFetcher(deps: ManifestFetcherDeps) {
  const { clock, faults, log } = deps;
  let isNeeded = true;
  let attempts = 0;
  let notBeforeMonoMs = 0;
  /** Once per process: parts that an earlier version had to skip may be known to this one. */
  let wasFetchedInFull = false;

  /** Fetches in any case; throws `Fault`. */
  async function fetch(signal: AbortSignal): Promise<void> {
    const newest = deps.newest();
    const isComplete = wasFetchedInFull || (newest?.passed_over ?? []).length === 0;
    const response = await deps.link.fetchManifest(isComplete ? (newest?.revision ?? null) : null, signal);
    wasFetchedInFull = true;
    if (response.kind === 'unpaired') {
      return deps.onUnpaired();
    }
    deps.playerState.cloud.onResponse();
    const wanted = response.kind === 'manifest' ? response.manifest : deps.newest();
    if (wanted) {
      // What somebody forbids holds at once, also when the disk does not take the manifest.
      deps.playerState.setScreenshots(wanted);
    }
    if (response.kind === 'manifest') {
      deps.accept(response.manifest);
    }
    isNeeded = false;
    attempts = 0;
    faults.reportManifest(null);
  }

  /** Milliseconds until the next fetch is due; infinite: none is needed. */
  const msUntilDue = () =>
    isNeeded ? Math.max(0, notBeforeMonoMs - clock.monoMs()) : Number.POSITIVE_INFINITY;

  return {
    /** The cloud has another revision: the next `fetchIfDue` fetches it. */
    requestFetch() {
      isNeeded = true;
      notBeforeMonoMs = 0;
    },
    fetch,
    /** Fetches if that is needed and no pause is running; a failure is logged and tried again after a pause. */
    async fetchIfDue(signal: AbortSignal) {
      if (msUntilDue() > 0) {
        return;
      }
      try {
        await fetch(signal);
      } catch (error) {
        if (!(error instanceof Fault)) {
          throw error;
        }
        const waitMs =
          typeof error.retry === 'object'
            ? error.retry.afterMs
            : backoffMs(attempts++, deps.random.next(), RETRY);
        notBeforeMonoMs = clock.monoMs() + waitMs;
        faults.reportManifest(error);
        log.warn({ code: error.code, wait_ms: waitMs, ...error.details }, 'manifest.fetch_failed');
      }
    },
    msUntilDue,
  };
}

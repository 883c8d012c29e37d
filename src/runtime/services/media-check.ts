import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';

interface MediaCheckDeps extends Pick<ServiceDeps, 'clock' | 'media' | 'log'> {
  /** Hashes in the order in which they will be shown. */
  hashesInShowOrder(): readonly string[];
  /** A file was damaged and deleted, or is missing: it has to be downloaded again. */
  onFileLost(): void;
}

/** Gives everything else that starts at boot precedence. */
const START_DELAY_MS = 15_000;
const RECHECK_INTERVAL_MS = 3_600_000;

/**
 * Verifies the hash of every file that was cached at the start, once and at low speed. At the start only sizes are
 * compared, so a bit flipped while the device was off would stay unnoticed. Unreadable files are checked again
 * later.
 */
export function createMediaCheck(deps: MediaCheckDeps): Service {
  const { clock, media, log } = deps;

  /** Returns the files that could not be read. */
  async function verifyFiles(files: readonly string[], signal: AbortSignal): Promise<string[]> {
    const unreadable: string[] = [];
    let lostCount = 0;
    for (const sha256 of files) {
      const isValid = await media.verify(sha256, signal);
      if (signal.aborted) {
        return [];
      }
      if (isValid === null) {
        unreadable.push(sha256);
      }
      if (isValid !== false) {
        continue;
      }
      lostCount += 1;
      deps.onFileLost();
    }
    log.info({ files: files.length, lost: lostCount, unreadable: unreadable.length }, 'media.checked');
    return unreadable;
  }

  return {
    name: 'media-check',
    async run(signal) {
      const held = media.cachedHashes();
      await clock.sleep(START_DELAY_MS, signal);
      let pending = [...new Set([...deps.hashesInShowOrder(), ...held])].filter((sha256) => held.has(sha256));
      while (!signal.aborted) {
        pending = await verifyFiles(pending, signal);
        if (pending.length === 0) {
          return;
        }
        await clock.sleep(RECHECK_INTERVAL_MS, signal);
      }
    },
  };
}

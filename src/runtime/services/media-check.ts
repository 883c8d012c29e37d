import type { Clock, Log, MediaCache } from '../../core/ports.ts';
import type { Service } from '../supervisor.ts';

export interface MediaCheckDeps {
  clock: Clock;
  media: MediaCache;
  /** Hashes in the order in which they will be shown. */
  inOrder(): readonly string[];
  /** A file was wrong and is thrown away, or is gone: it has to be fetched again. */
  onLost(): void;
  log: Log;
}

/** Everything that begins with the box goes first. */
const CALM_MS = 15_000;

/**
 * Looks once, gently, at every file that was there at the start: at the start itself only the sizes are compared, and
 * a bit that turned over while the box was off would be shown for ever.
 */
export function createMediaCheck(deps: MediaCheckDeps): Service {
  const { clock, media, log } = deps;
  return {
    name: 'media-check',
    async run(signal) {
      const held = media.held();
      await clock.sleep(CALM_MS, signal);
      let lost = 0;
      for (const sha256 of new Set([...deps.inOrder(), ...held])) {
        if (signal.aborted) return;
        if (!held.has(sha256) || (await media.verify(sha256, signal))) continue;
        lost += 1;
        deps.onLost();
      }
      log.info({ files: held.size, lost }, 'media.checked');
    },
  };
}

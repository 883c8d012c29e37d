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
const AGAIN_MS = 3_600_000;

/**
 * Looks once, gently, at every file that was there at the start: at the start itself only the sizes are compared, and
 * a bit that turned over while the box was off would be shown for ever. What could not be read is looked at again.
 */
export function createMediaCheck(deps: MediaCheckDeps): Service {
  const { clock, media, log } = deps;

  /** Tells which files nothing is known of yet. */
  async function lookAt(files: readonly string[], signal: AbortSignal): Promise<string[]> {
    const unread: string[] = [];
    let lost = 0;
    for (const sha256 of files) {
      const sound = await media.verify(sha256, signal);
      if (signal.aborted) return [];
      if (sound === null) unread.push(sha256);
      if (sound !== false) continue;
      lost += 1;
      deps.onLost();
    }
    log.info({ files: files.length, lost, unread: unread.length }, 'media.checked');
    return unread;
  }

  return {
    name: 'media-check',
    async run(signal) {
      const held = media.held();
      await clock.sleep(CALM_MS, signal);
      let left = [...new Set([...deps.inOrder(), ...held])].filter((sha256) => held.has(sha256));
      while (!signal.aborted) {
        left = await lookAt(left, signal);
        if (left.length === 0) return;
        await clock.sleep(AGAIN_MS, signal);
      }
    },
  };
}

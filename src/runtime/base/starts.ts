import type { ReportedState } from '@placard/protocol';
import type { Clock, Log, PlayerDatabase } from '../../core/ports.ts';

interface Starts {
  /** A picture is on the screen. */
  readonly onPicture: () => void;
  /** For the cloud; undefined when the disk does not count them. */
  readonly read: () => ReportedState['starts'];
}

/** Counts this start of the player, and times its first picture. */
export function createStarts({
  clock,
  database,
  log,
}: {
  clock: Pick<Clock, 'monoMs'>;
  database: Pick<PlayerDatabase, 'countStart'>;
  log: Log;
}): Starts {
  const startedMonoMs = clock.monoMs();
  const count = countStart();
  let firstPictureMs: number | null = null;

  /** A disk that cannot be written must not prevent the start. */
  function countStart(): number | null {
    try {
      return database.countStart();
    } catch (error) {
      log.warn({ error: String(error) }, 'starts.count_failed');
      return null;
    }
  }

  return {
    onPicture() {
      firstPictureMs ??= Math.round(clock.monoMs() - startedMonoMs);
    },
    read: () => (count === null ? undefined : { count, first_picture_ms: firstPictureMs }),
  };
}

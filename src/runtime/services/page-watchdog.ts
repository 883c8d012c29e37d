import type { Clock, Log } from '../../core/ports.ts';
import type { PlayerState } from '../base/player-state.ts';
import type { Service } from '../base/supervisor.ts';

export interface PageWatchdogDeps {
  clock: Clock;
  playerState: PlayerState;
  onPageLost(): void;
  log: Log;
}

export interface PageWatchdog extends Service {
  onBeat(): void;
  /** A page is about to be opened and gets more time for its first beat. */
  readonly onPageOpening: () => void;
}

const BEAT_TIMEOUT_MS = 15_000;
/** A browser takes long to start on a slow device. */
const OPENING_MS = 60_000;
const MIN_CHECK_INTERVAL_MS = 1_000;

/** The page sends a beat every second while it renders; a page that stops is replaced. */
export function createPageWatchdog(deps: PageWatchdogDeps): PageWatchdog {
  const { clock, playerState, log } = deps;
  let deadlineMonoMs = clock.monoMs() + OPENING_MS;
  return {
    name: 'page-watchdog',
    onBeat() {
      deadlineMonoMs = clock.monoMs() + BEAT_TIMEOUT_MS;
      playerState.clear('stage.lost');
    },
    onPageOpening() {
      deadlineMonoMs = clock.monoMs() + OPENING_MS;
    },
    async run(signal) {
      while (!signal.aborted) {
        const leftMs = deadlineMonoMs - clock.monoMs();
        await clock.sleep(Math.min(BEAT_TIMEOUT_MS, Math.max(MIN_CHECK_INTERVAL_MS, leftMs)), signal);
        if (signal.aborted || clock.monoMs() < deadlineMonoMs) {
          continue;
        }
        log.error({}, 'stage.lost');
        playerState.raise('stage.lost');
        deadlineMonoMs = clock.monoMs() + OPENING_MS;
        deps.onPageLost();
      }
    },
  };
}

import type { Clock, Log } from '../../core/ports.ts';
import type { Board } from '../board.ts';
import type { Service } from '../supervisor.ts';

export interface PageWatchdogDeps {
  clock: Clock;
  board: Board;
  onLost(): void;
  log: Log;
}

export interface PageWatchdog extends Service {
  beat(): void;
  /** A page is about to be opened, and has longer for its first beat. */
  readonly pageIssued: () => void;
}

const SILENCE_MS = 15_000;
/** A browser on a small box takes its time to start. */
const OPENING_MS = 60_000;
const LOOK_MS = 1_000;

/** A page that draws says so every second; one that has stopped is replaced. */
export function createPageWatchdog(deps: PageWatchdogDeps): PageWatchdog {
  const { clock, board, log } = deps;
  let deadlineMono = clock.mono() + OPENING_MS;
  return {
    name: 'page-watchdog',
    beat() {
      deadlineMono = clock.mono() + SILENCE_MS;
      board.clear('stage.lost');
    },
    pageIssued() {
      deadlineMono = clock.mono() + OPENING_MS;
    },
    async run(signal) {
      while (!signal.aborted) {
        const leftMs = deadlineMono - clock.mono();
        await clock.sleep(Math.min(SILENCE_MS, Math.max(LOOK_MS, leftMs)), signal);
        if (signal.aborted || clock.mono() < deadlineMono) continue;
        log.error({}, 'stage.lost');
        board.raise('stage.lost');
        deadlineMono = clock.mono() + OPENING_MS;
        deps.onLost();
      }
    },
  };
}

import { Fault, MAX_PLAYS_PER_REQUEST } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import type { Clock, DeviceLink, Log, Random, Store } from '../../core/ports.ts';
import type { Bell } from '../bell.ts';
import type { Board } from '../board.ts';
import type { Service } from '../supervisor.ts';

export interface PlaysLoopDeps {
  clock: Clock;
  random: Random;
  store: Store;
  link: DeviceLink;
  board: Board;
  /** Rung when the cloud is there again. */
  bell: Bell;
  onUnpaired(): void;
  log: Log;
}

/** Plays are gathered for this long, so that a request carries several. */
const GATHER_MS = 7_000;
const RETRY = { baseMs: 5_000, capMs: 60_000 };
const KEEP_MS = 30 * 24 * 3_600_000;
const SWEEP_MS = 3_600_000;

/** Tells the cloud what was shown. A play stays on disk until the cloud has said that it has it. */
export function createPlaysLoop(deps: PlaysLoopDeps): Service {
  const { clock, store, board, bell, log } = deps;
  let attempts = 0;
  let sweptMono = Number.NEGATIVE_INFINITY;

  function sweep(): void {
    if (clock.mono() - sweptMono < SWEEP_MS) return;
    sweptMono = clock.mono();
    const dropped = store.dropPlaysBefore(clock.wall() - KEEP_MS);
    if (dropped === 0) return;
    log.error({ dropped }, 'plays.dropped');
    board.set({ playsDropped: board.facts.playsDropped + dropped });
  }

  /** Sends one batch; true when there may be more. */
  async function send(signal: AbortSignal): Promise<boolean> {
    const plays = store.pendingPlays(MAX_PLAYS_PER_REQUEST);
    if (plays.length === 0) return false;
    const answer = await deps.link.plays(plays, signal);
    if (answer.kind === 'unpaired') {
      deps.onUnpaired();
      return false;
    }
    const { accepted, rejected } = answer.answer;
    const refused = rejected.flatMap((one) => one.id ?? plays[one.index]?.id ?? []);
    if (refused.length > 0) log.error({ rejected }, 'plays.rejected');
    const done = new Set([...accepted, ...refused]);
    store.confirmPlays(plays.flatMap((play) => (done.has(play.id) ? play.id : [])));
    return plays.length === MAX_PLAYS_PER_REQUEST && done.size > 0;
  }

  return {
    name: 'plays',
    async run(signal) {
      while (!signal.aborted) {
        let waitMs = GATHER_MS;
        try {
          // Until then they may be dated wrong; the next beat brings the time.
          while (clock.confirmed && !signal.aborted && (await send(signal)));
          attempts = 0;
          // Only what could not be told now is too old: a box that was off for long first tells all that it has.
          sweep();
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof Fault)) throw error;
          log.debug({ code: error.code, ...error.facts }, 'plays.not_sent');
          sweep();
          const pauseMs = backoffMs(attempts++, deps.random.next(), RETRY);
          waitMs = typeof error.retry === 'object' ? error.retry.afterMs : pauseMs;
        }
        await bell.wait(waitMs, signal);
      }
    },
  };
}

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
/** The age of a play by a time that is a guess counts only when the cloud has been out of reach for this long. */
const GUESS_MS = 24 * 3_600_000;
/** That plays are missing is told for this long after the last one was given up. */
const TELL_DROPPED_MS = 7 * 24 * 3_600_000;

/** Tells the cloud what was shown. A play stays on disk until the cloud has said that it has it. */
export function createPlaysLoop(deps: PlaysLoopDeps): Service {
  const { clock, store, board, bell, log } = deps;
  let attempts = 0;
  const beganMono = clock.mono();
  let sweptMono = Number.NEGATIVE_INFINITY;

  function giveUpOld(): void {
    if (clock.mono() - sweptMono < SWEEP_MS) return;
    if (!clock.confirmed && clock.mono() - beganMono < GUESS_MS) return;
    sweptMono = clock.mono();
    try {
      store.together(() => drop(store.dropPlaysBefore(clock.wall() - KEEP_MS), 'too_old'));
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      log.warn({ code: error.code, ...error.facts }, 'plays.not_swept');
    }
  }

  function drop(count: number, reason: 'too_old' | 'refused'): void {
    if (count === 0) return;
    store.countDropped(count, clock.wall());
    log.error({ count, reason }, 'plays.dropped');
  }

  /** What is missing from the reports, whoever gave it up. */
  function tellDropped(): void {
    const dropped = store.readDropped();
    const count = dropped?.count ?? 0;
    if (board.facts.playsDropped !== count) board.set({ playsDropped: count });
    if (dropped && clock.wall() - dropped.lastAtMs < TELL_DROPPED_MS) board.raise('plays.dropped', { count });
    else board.clear('plays.dropped');
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
    if (rejected.length > 0) log.error({ rejected }, 'plays.rejected');
    const taken = new Set(accepted);
    const refused = new Set(rejected.map((one) => one.id ?? plays[one.index]?.id));
    const answered = plays.filter(({ id }) => taken.has(id) || refused.has(id));
    store.together(() => {
      store.confirmPlays(answered.map(({ id }) => id));
      drop(answered.filter(({ id }) => !taken.has(id)).length, 'refused');
    });
    return plays.length === MAX_PLAYS_PER_REQUEST && answered.length > 0;
  }

  /** Tells what can be told now, and how long to wait after it. */
  async function round(signal: AbortSignal): Promise<number> {
    try {
      // Until then they may be dated wrong; the next beat brings the time.
      while (clock.confirmed && !signal.aborted && (await send(signal)));
      attempts = 0;
      return GATHER_MS;
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault)) throw error;
      log.debug({ code: error.code, ...error.facts }, 'plays.not_sent');
      const pauseMs = backoffMs(attempts++, deps.random.next(), RETRY);
      return typeof error.retry === 'object' ? error.retry.afterMs : pauseMs;
    }
  }

  return {
    name: 'plays',
    async run(signal) {
      try {
        while (!signal.aborted) {
          const waitMs = await round(signal);
          if (signal.aborted) return;
          // Only what could not be told now is too old: a box that was off for long first tells all that it has.
          giveUpOld();
          tellDropped();
          await bell.wait(waitMs, signal);
        }
      } finally {
        board.set({ playsDropped: 0 });
        board.clear('plays.dropped');
      }
    },
  };
}

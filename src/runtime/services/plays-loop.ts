import { Fault, MAX_PLAYS_PER_REQUEST, type Play } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import type { Clock, DeviceLink, Log, Random, Refused, Store } from '../../core/ports.ts';
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
  /** Plays of one request: fewer while the cloud refuses whole requests, until the play that it means is found. */
  let size = MAX_PLAYS_PER_REQUEST;
  /** Refused alone, and passed over until the cloud has taken another one. */
  const suspects = new Set<string>();
  /** The cloud took the last request: what it refuses now is refused for the play's sake, not for its own. */
  let takes = false;

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

  function drop(count: number, reason: 'too_old' | 'refused', facts: object = {}): void {
    if (count === 0) return;
    store.countDropped(count, clock.wall());
    log.error({ count, reason, ...facts }, 'plays.dropped');
  }

  /** What is missing from the reports, whoever gave it up. */
  function tellDropped(): void {
    const dropped = store.readDropped();
    const count = dropped?.count ?? 0;
    if (board.facts.playsDropped !== count) board.set({ playsDropped: count });
    if (dropped && clock.wall() - dropped.lastAtMs < TELL_DROPPED_MS) board.raise('plays.dropped', { count });
    else board.clear('plays.dropped');
  }

  /** A request was refused as a whole. Nothing is given up that might be taken by a cloud that is well. */
  function onRefused(plays: readonly Play[], { status, code }: Refused): void {
    log.warn({ count: plays.length, status, code }, 'plays.refused');
    const play = plays[0]?.id;
    if (play === undefined) return;
    if (size > 1) size = Math.ceil(plays.length / 2);
    else if (!takes) suspects.add(play);
    else {
      store.together(() => {
        store.confirmPlays([play]);
        drop(1, 'refused', { play, status, code });
      });
    }
    takes = false;
  }

  function onTaken(): void {
    attempts = 0;
    takes = true;
    if (suspects.size === 0) size = MAX_PLAYS_PER_REQUEST;
    suspects.clear();
  }

  /** Oldest first. */
  function nextPlays(): Play[] {
    const pending = store.pendingPlays(size + suspects.size);
    const plays = pending.filter(({ id }) => !suspects.has(id)).slice(0, size);
    if (plays.length === 0) suspects.clear();
    return plays;
  }

  /** Sends one batch; tells whether there may be more. */
  async function send(signal: AbortSignal): Promise<'more' | 'done' | 'refused'> {
    const plays = nextPlays();
    if (plays.length === 0) return 'done';
    const answer = await deps.link.plays(plays, signal);
    if (answer.kind === 'unpaired') {
      deps.onUnpaired();
      return 'done';
    }
    if (answer.kind === 'refused') {
      onRefused(plays, answer);
      return 'refused';
    }
    const full = plays.length === size;
    onTaken();
    const { accepted, rejected } = answer.answer;
    if (rejected.length > 0) log.error({ rejected }, 'plays.rejected');
    const taken = new Set(accepted);
    const refused = new Set(rejected.map((one) => one.id ?? plays[one.index]?.id));
    const answered = plays.filter(({ id }) => taken.has(id) || refused.has(id));
    store.together(() => {
      store.confirmPlays(answered.map(({ id }) => id));
      drop(answered.filter(({ id }) => !taken.has(id)).length, 'refused');
    });
    return full && answered.length > 0 ? 'more' : 'done';
  }

  /** Tells what can be told now, and how long to wait after it. */
  async function round(signal: AbortSignal): Promise<number> {
    try {
      // Until then they may be dated wrong; the next beat brings the time.
      let sent: Awaited<ReturnType<typeof send>> = 'more';
      while (sent === 'more' && clock.confirmed && !signal.aborted) sent = await send(signal);
      return sent === 'refused' ? backoffMs(attempts++, deps.random.next(), RETRY) : GATHER_MS;
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

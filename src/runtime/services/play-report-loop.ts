import { Fault, MAX_PLAYS_PER_REQUEST } from '@placard/protocol';
import type { Play } from '@placard/protocol';
import { backoffMs } from '../../core/backoff.ts';
import type { RefusedResponse } from '../../core/ports.ts';
import type { ServiceDeps } from '../base/service-deps.ts';
import type { Service } from '../base/supervisor.ts';

type PlayReportLoopDeps = Pick<
  ServiceDeps,
  'clock' | 'random' | 'database' | 'link' | 'playerState' | 'wakeup' | 'onUnpaired' | 'log'
>;

/** Plays are batched for this long, so that a request carries several. */
const BATCH_INTERVAL_MS = 7_000;
const RETRY = { baseMs: 5_000, capMs: 60_000 };
const PLAY_RETENTION_MS = 30 * 24 * 3_600_000;
const SWEEP_MS = 3_600_000;
/** While the time is unconfirmed, plays are dropped for their age only after the player has run this long. */
const UNCONFIRMED_CLOCK_GRACE_MS = 24 * 3_600_000;
/** The `plays.dropped` fault stays active for this long after the last dropped play. */
const DROPPED_FAULT_MS = 7 * 24 * 3_600_000;

/**
 * Reports plays to the cloud, at once when it is reachable again. A play is deleted only after the cloud has
 * acknowledged it.
 */
export function createPlayReportLoop(deps: PlayReportLoopDeps): Service {
  const { clock, database, playerState, wakeup, log } = deps;
  let attempts = 0;
  const startedAtMonoMs = clock.monoMs();
  let lastSweepMonoMs = Number.NEGATIVE_INFINITY;
  /** Plays per request; halved while the cloud refuses whole requests, to isolate the play that it refuses. */
  let size = MAX_PLAYS_PER_REQUEST;
  /** Refused in a request of their own; skipped until the cloud has accepted another play. */
  const skippedIds = new Set<string>();
  /** The cloud accepted the last request, so a refusal now is caused by the play and not by the state of the cloud. */
  let wasLastRequestAccepted = false;

  function dropOldPlays(): void {
    if (clock.monoMs() - lastSweepMonoMs < SWEEP_MS) {
      return;
    }
    if (!clock.isTimeConfirmed && clock.monoMs() - startedAtMonoMs < UNCONFIRMED_CLOCK_GRACE_MS) {
      return;
    }
    lastSweepMonoMs = clock.monoMs();
    try {
      database.transaction(() =>
        recordDropped(database.deletePlaysBefore(clock.wallMs() - PLAY_RETENTION_MS), 'too_old'),
      );
    } catch (error) {
      if (!(error instanceof Fault)) {
        throw error;
      }
      log.warn({ code: error.code, ...error.details }, 'plays.sweep_failed');
    }
  }

  function recordDropped(
    count: number,
    reason: 'too_old' | 'refused' | 'rejected',
    details: object = {},
  ): void {
    if (count === 0) {
      return;
    }
    database.addDroppedPlays(count, clock.wallMs());
    log.error({ count, reason, ...details }, 'plays.dropped');
  }

  /** Publishes the number of dropped plays, whatever dropped them. */
  function reportDropped(): void {
    const dropped = database.readDroppedPlays();
    const count = dropped?.count ?? 0;
    if (playerState.fields.playsDropped !== count) {
      playerState.set({ playsDropped: count });
    }
    const isRecent = dropped !== null && clock.wallMs() - dropped.lastAtMs < DROPPED_FAULT_MS;
    playerState.setFault('plays.dropped', isRecent ? { count } : null);
  }

  /** A whole request was refused. No play is dropped that a working cloud might accept. */
  function onRefused(plays: readonly Play[], { status, code }: RefusedResponse): void {
    log.warn({ count: plays.length, status, code }, 'plays.refused');
    const play = plays[0]?.id;
    if (play === undefined) {
      return;
    }
    if (size > 1) {
      size = Math.ceil(plays.length / 2);
    } else if (!wasLastRequestAccepted) {
      skippedIds.add(play);
    } else {
      database.transaction(() => {
        database.deleteReportedPlays([play]);
        recordDropped(1, 'refused', { play, status, code });
      });
    }
    wasLastRequestAccepted = false;
  }

  function onAccepted(): void {
    attempts = 0;
    wasLastRequestAccepted = true;
    if (skippedIds.size === 0) {
      size = MAX_PLAYS_PER_REQUEST;
    }
    skippedIds.clear();
  }

  /** Oldest first. */
  function nextPlays(): Play[] {
    const pending = database.readPendingPlays(size + skippedIds.size);
    const plays = pending.filter(({ id }) => !skippedIds.has(id)).slice(0, size);
    if (plays.length === 0) {
      skippedIds.clear();
    }
    return plays;
  }

  /** Sends one batch; returns whether there may be more. */
  async function send(signal: AbortSignal): Promise<'more' | 'done' | 'refused'> {
    const plays = nextPlays();
    if (plays.length === 0) {
      return 'done';
    }
    const response = await deps.link.sendPlays(plays, signal);
    if (response.kind === 'unpaired') {
      deps.onUnpaired();
      return 'done';
    }
    if (response.kind === 'refused') {
      onRefused(plays, response);
      return 'refused';
    }
    const full = plays.length === size;
    onAccepted();
    const { accepted, rejected } = response.response;
    if (rejected.length > 0) {
      log.error({ rejected }, 'plays.rejected');
    }
    const acceptedIds = new Set(accepted);
    const rejectedIds = new Set(rejected.map((one) => one.id ?? plays[one.index]?.id));
    const handledPlays = plays.filter(({ id }) => acceptedIds.has(id) || rejectedIds.has(id));
    database.transaction(() => {
      database.deleteReportedPlays(handledPlays.map(({ id }) => id));
      recordDropped(handledPlays.filter(({ id }) => !acceptedIds.has(id)).length, 'rejected');
    });
    return full && handledPlays.length > 0 ? 'more' : 'done';
  }

  /** Sends what can be sent now; returns how long to wait afterwards. */
  async function sendPending(signal: AbortSignal): Promise<number> {
    try {
      // Until the time is confirmed, dates may be wrong; the next heartbeat brings the time.
      let sent: Awaited<ReturnType<typeof send>> = 'more';
      while (sent === 'more' && clock.isTimeConfirmed && !signal.aborted) {
        sent = await send(signal);
      }
      return sent === 'refused' ? backoffMs(attempts++, deps.random.next(), RETRY) : BATCH_INTERVAL_MS;
    } catch (error) {
      if (signal.aborted || !(error instanceof Fault)) {
        throw error;
      }
      log.debug({ code: error.code, ...error.details }, 'plays.send_failed');
      const pauseMs = backoffMs(attempts++, deps.random.next(), RETRY);
      return typeof error.retry === 'object' ? error.retry.afterMs : pauseMs;
    }
  }

  return {
    name: 'play-report',
    async run(signal) {
      try {
        while (!signal.aborted) {
          const waitMs = await sendPending(signal);
          if (signal.aborted) {
            return;
          }
          // Dropped only after sending: a device that was off for long reports all its old plays first.
          dropOldPlays();
          reportDropped();
          await wakeup.wait(waitMs, signal);
        }
      } finally {
        playerState.set({ playsDropped: 0 });
        playerState.clear('plays.dropped');
      }
    },
  };
}

import type { FaultCode, PairingStartResponse } from '@placard/protocol';
import { backoffMs } from '../backoff.ts';
import type { Identity, PairingPoll } from '../ports.ts';

/** A code that the cloud has given. Kept on disk, so that a restart goes on polling the same one. */
export interface PairingSession {
  pairingId: string;
  /** The secret that only this screen knows. */
  pollToken: string;
  /** `BCD-FGH`. */
  code: string;
  verificationUrl: string;
  verificationUrlComplete: string;
  /** Milliseconds since 1970 by the cloud's clock. */
  expiresAtMs: number;
  intervalMs: number;
}

/** What keeps a code from being had, for the screen and the log. */
export interface PairingProblem {
  code: FaultCode;
  /** Code of the network error (`ENOTFOUND`, …); null when it was none. */
  reason: string | null;
  /** Asked in vain this often in a row. */
  attempts: number;
}

export type PairingState =
  /** Asks for a code; the last one stays on the screen until there is a new one, so that nothing flickers. */
  | {
      kind: 'asking';
      attempts: number;
      retryAtMono: number;
      problem: PairingProblem | null;
      stale: PairingSession | null;
    }
  | {
      kind: 'showing';
      session: PairingSession;
      pollAtMono: number;
      intervalMs: number;
      failedPolls: number;
      problem: PairingProblem | null;
    }
  | { kind: 'paired'; identity: Identity };

export type PairingEvent =
  | { kind: 'tick' }
  | { kind: 'code'; answer: PairingStartResponse }
  | { kind: 'poll'; answer: PairingPoll }
  /** The last request brought no usable answer. */
  | { kind: 'failed'; code: FaultCode; reason?: string | null; afterMs: number | null };

export type PairingEffect =
  | { kind: 'ask' }
  | { kind: 'poll'; session: PairingSession }
  | { kind: 'keep'; session: PairingSession | null }
  | { kind: 'save_identity'; identity: Identity };

export interface PairingNow {
  monoMs: number;
  /** 0 ≤ chance < 1. */
  chance: number;
}

const RETRY = { baseMs: 2_000, capMs: 60_000 };

export function startPairing(kept: PairingSession | null, now: PairingNow): PairingState {
  return kept
    ? showing(kept, now.monoMs)
    : { kind: 'asking', attempts: 0, retryAtMono: now.monoMs, problem: null, stale: null };
}

/** When the machine wants its next `tick`, by the monotonic clock. */
export function pairingWakeAt(state: PairingState): number {
  switch (state.kind) {
    case 'asking':
      return state.retryAtMono;
    case 'showing':
      return state.pollAtMono;
    case 'paired':
      return Number.POSITIVE_INFINITY;
  }
  return state satisfies never;
}

export function stepPairing(
  state: PairingState,
  event: PairingEvent,
  now: PairingNow,
): [PairingState, PairingEffect[]] {
  switch (event.kind) {
    case 'tick':
      if (now.monoMs < pairingWakeAt(state)) return [state, []];
      if (state.kind === 'asking') return [state, [{ kind: 'ask' }]];
      if (state.kind === 'showing') return [state, [{ kind: 'poll', session: state.session }]];
      return [state, []];
    case 'code': {
      if (state.kind !== 'asking') return [state, []];
      const session = sessionOf(event.answer);
      return [showing(session, now.monoMs + session.intervalMs), [{ kind: 'keep', session }]];
    }
    case 'poll':
      return state.kind === 'showing' ? polled(state, event.answer, now) : [state, []];
    case 'failed':
      return [failed(state, event, now), []];
  }
  return event satisfies never;
}

function polled(
  state: Extract<PairingState, { kind: 'showing' }>,
  answer: PairingPoll,
  now: PairingNow,
): [PairingState, PairingEffect[]] {
  switch (answer.kind) {
    case 'pending':
      return [showing(state.session, now.monoMs + answer.intervalMs), []];
    case 'slow_down': {
      // RFC 8628: five seconds more from now on.
      const intervalMs = Math.max(state.intervalMs + 5_000, answer.afterMs);
      return [{ ...showing(state.session, now.monoMs + intervalMs), intervalMs }, []];
    }
    case 'expired':
      return stepPairing(
        { kind: 'asking', attempts: 0, retryAtMono: now.monoMs, problem: null, stale: state.session },
        { kind: 'tick' },
        now,
      );
    case 'paired':
      return [
        { kind: 'paired', identity: answer.identity },
        [
          { kind: 'save_identity', identity: answer.identity },
          { kind: 'keep', session: null },
        ],
      ];
  }
  return answer satisfies never;
}

function failed(
  state: PairingState,
  event: { code: FaultCode; reason?: string | null; afterMs: number | null },
  now: PairingNow,
): PairingState {
  switch (state.kind) {
    case 'asking': {
      const attempts = state.attempts + 1;
      const waitMs = event.afterMs ?? backoffMs(state.attempts, now.chance, RETRY);
      return {
        ...state,
        attempts,
        retryAtMono: now.monoMs + waitMs,
        problem: { code: event.code, reason: event.reason ?? null, attempts },
      };
    }
    case 'showing': {
      // The code may be good for a while yet: it stays, and the screen says what is wrong beside it.
      const failedPolls = state.failedPolls + 1;
      const waitMs = event.afterMs ?? backoffMs(state.failedPolls, now.chance, RETRY);
      return {
        ...state,
        failedPolls,
        pollAtMono: now.monoMs + Math.max(waitMs, state.intervalMs),
        problem: { code: event.code, reason: event.reason ?? null, attempts: failedPolls },
      };
    }
    case 'paired':
      return state;
  }
  return state satisfies never;
}

const showing = (
  session: PairingSession,
  pollAtMono: number,
): Extract<PairingState, { kind: 'showing' }> => ({
  kind: 'showing',
  session,
  pollAtMono,
  intervalMs: session.intervalMs,
  failedPolls: 0,
  problem: null,
});

const sessionOf = (answer: PairingStartResponse): PairingSession => ({
  pairingId: answer.pairing_id,
  pollToken: answer.poll_token,
  code: answer.code,
  verificationUrl: answer.verification_url,
  verificationUrlComplete: answer.verification_url_complete,
  expiresAtMs: Date.parse(answer.expires_at),
  intervalMs: answer.interval * 1_000,
});

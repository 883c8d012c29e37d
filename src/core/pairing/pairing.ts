import { PAIRING_RENEWAL_MS, type FaultCode, type PairingStartResponse } from '@placard/protocol';
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
  /** Asks for a code; there is none to show. */
  | { kind: 'asking'; attempts: number; retryAtMono: number; problem: PairingProblem | null }
  | {
      kind: 'showing';
      session: PairingSession;
      /** Its code was on the screen before, and is good until it expires: somebody may be typing it. */
      previous: PairingSession | null;
      /** Nobody can type the code any more, so it is not shown; the cloud may hold a token for it all the same. */
      over: boolean;
      /** Once the session is due for it, the next one is asked for from this instant on. */
      renewAtMono: number;
      failedAsks: number;
      pollAtMono: number;
      intervalMs: number;
      failedPolls: number;
      problem: PairingProblem | null;
    }
  | { kind: 'paired'; identity: Identity };

type Showing = Extract<PairingState, { kind: 'showing' }>;

export type PairingEvent =
  | { kind: 'tick' }
  | { kind: 'code'; answer: PairingStartResponse }
  | { kind: 'poll'; pairingId: string; answer: PairingPoll }
  /** A request brought no usable answer. */
  | { kind: 'failed'; of: 'ask' | 'poll'; code: FaultCode; reason?: string | null; afterMs: number | null };

export type PairingEffect =
  | { kind: 'ask' }
  | { kind: 'poll'; session: PairingSession }
  | { kind: 'keep'; session: PairingSession | null }
  | { kind: 'save_identity'; identity: Identity };

export interface PairingNow {
  monoMs: number;
  /** Milliseconds since 1970; corrected by every answer of the cloud. */
  wallMs: number;
  /** 0 ≤ chance < 1. */
  chance: number;
}

const RETRY = { baseMs: 2_000, capMs: 60_000 };
/** The next code is asked for this long before the end of the one shown: well within what the cloud allows. */
const RENEW_AHEAD_MS = (PAIRING_RENEWAL_MS * 3) / 4;

const CODE_LIFE_MS = 15 * 60_000;

/** When the next code takes the place of this one, in milliseconds since 1970. */
export const renewsAtMs = (session: PairingSession): number => session.expiresAtMs - RENEW_AHEAD_MS;

/** The session whose code is to be shown; null when there is none that could be typed. */
export const sessionShown = (state: PairingState | null): PairingSession | null =>
  state?.kind === 'showing' && !state.over ? state.session : null;

export function startPairing(kept: PairingSession | null, now: PairingNow): PairingState {
  return kept ? showing(kept, now) : asking(now);
}

/** When the machine wants its next `tick`, by the monotonic clock. */
export function pairingWakeAt(state: PairingState, now: Omit<PairingNow, 'chance'>): number {
  switch (state.kind) {
    case 'asking':
      return state.retryAtMono;
    case 'showing': {
      const monoAt = (wallMs: number) => now.monoMs + wallMs - now.wallMs;
      return Math.min(
        state.pollAtMono,
        Math.max(state.renewAtMono, monoAt(renewsAtMs(state.session))),
        state.over ? Number.POSITIVE_INFINITY : monoAt(state.session.expiresAtMs),
      );
    }
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
      return ticked(state, now);
    case 'code':
      return answered(state, sessionOf(event.answer, now), now);
    case 'poll':
      return state.kind === 'showing' ? polled(state, event, now) : [state, []];
    case 'failed':
      return [failed(state, event, now), []];
  }
  return event satisfies never;
}

function ticked(state: PairingState, now: PairingNow): [PairingState, PairingEffect[]] {
  if (state.kind === 'paired') return [state, []];
  if (state.kind === 'asking') return [state, now.monoMs < state.retryAtMono ? [] : [{ kind: 'ask' }]];
  const { session, previous } = state;
  const effects: PairingEffect[] = [];
  if (now.wallMs >= renewsAtMs(session) && now.monoMs >= state.renewAtMono) effects.push({ kind: 'ask' });
  if (now.monoMs >= state.pollAtMono) {
    if (previous) effects.push({ kind: 'poll', session: previous });
    effects.push({ kind: 'poll', session });
  }
  return [{ ...state, over: now.wallMs >= session.expiresAtMs }, effects];
}

function answered(
  state: PairingState,
  session: PairingSession,
  now: PairingNow,
): [PairingState, PairingEffect[]] {
  if (state.kind === 'paired') return [state, []];
  const pollAtMono = now.monoMs + session.intervalMs;
  if (state.kind === 'asking') return [{ ...showing(session, now), pollAtMono }, [{ kind: 'keep', session }]];
  // The cloud has no other one: it says so when this one is over.
  if (session.pairingId === state.session.pairingId) {
    return [{ ...state, renewAtMono: Number.POSITIVE_INFINITY }, []];
  }
  const next = { ...showing(session, now), previous: state.session, pollAtMono: state.pollAtMono };
  return [next, [{ kind: 'keep', session }]];
}

function polled(
  state: Showing,
  { pairingId, answer }: Extract<PairingEvent, { kind: 'poll' }>,
  now: PairingNow,
): [PairingState, PairingEffect[]] {
  const well = { ...state, failedPolls: 0, problem: null };
  switch (answer.kind) {
    case 'pending': {
      const { intervalMs } = answer;
      return [{ ...well, intervalMs, pollAtMono: now.monoMs + intervalMs }, []];
    }
    case 'slow_down': {
      // RFC 8628: five seconds more from now on.
      const intervalMs = Math.max(state.intervalMs + 5_000, answer.afterMs);
      return [{ ...well, intervalMs, pollAtMono: now.monoMs + intervalMs }, []];
    }
    case 'expired':
      if (pairingId !== state.session.pairingId) return [{ ...state, previous: null }, []];
      return ticked(asking(now), now);
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
  event: Extract<PairingEvent, { kind: 'failed' }>,
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
      if (event.of === 'ask') {
        const waitMs = event.afterMs ?? backoffMs(state.failedAsks, now.chance, RETRY);
        return { ...state, failedAsks: state.failedAsks + 1, renewAtMono: now.monoMs + waitMs };
      }
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

const asking = (now: PairingNow): PairingState => ({
  kind: 'asking',
  attempts: 0,
  retryAtMono: now.monoMs,
  problem: null,
});

/** Polled at once. */
const showing = (session: PairingSession, now: PairingNow): Showing => ({
  kind: 'showing',
  session,
  previous: null,
  over: now.wallMs >= session.expiresAtMs,
  renewAtMono: now.monoMs,
  failedAsks: 0,
  pollAtMono: now.monoMs,
  intervalMs: session.intervalMs,
  failedPolls: 0,
  problem: null,
});

/** A code that was just given is good, whatever the clock of a box says that nobody has told the time. */
const expiryOf = (answer: PairingStartResponse, now: PairingNow): number => {
  const expiresAtMs = Date.parse(answer.expires_at);
  return expiresAtMs > now.wallMs ? expiresAtMs : now.wallMs + CODE_LIFE_MS;
};

const sessionOf = (answer: PairingStartResponse, now: PairingNow): PairingSession => ({
  pairingId: answer.pairing_id,
  pollToken: answer.poll_token,
  code: answer.code,
  verificationUrl: answer.verification_url,
  verificationUrlComplete: answer.verification_url_complete,
  expiresAtMs: expiryOf(answer, now),
  intervalMs: answer.interval * 1_000,
});

import { PAIRING_RENEWAL_MS } from '@placard/protocol';
import type { FaultCode, PairingStartResponse } from '@placard/protocol';
import { backoffMs } from '../backoff.ts';
import type { Identity, PairingPoll, PairingSession } from './pairing-session.ts';

/** Why no code can be fetched, for the screen and the log. */
export interface PairingProblem {
  code: FaultCode;
  /** Network error code (`ENOTFOUND`, …); null when it was not a network error. */
  reason: string | null;
  /** Failed attempts in a row. */
  attempts: number;
}

export type PairingState =
  /** Requests a code; there is none to show. */
  | { kind: 'requesting_code'; attempts: number; retryAtMonoMs: number; problem: PairingProblem | null }
  | {
      kind: 'showing_code';
      session: PairingSession;
      /** The session whose code was on the screen before; valid until it expires: somebody may be typing it. */
      previous: PairingSession | null;
      /** The code has expired, so it is not shown; the cloud may still hold a token for it. */
      isExpired: boolean;
      /** Once renewal is due, the next session is requested from this time on. */
      renewAtMonoMs: number;
      failedCodeRequests: number;
      pollAtMonoMs: number;
      intervalMs: number;
      failedPolls: number;
      problem: PairingProblem | null;
    }
  | { kind: 'paired'; identity: Identity };

type ShowingCode = Extract<PairingState, { kind: 'showing_code' }>;

export type PairingEvent =
  | { kind: 'tick' }
  | { kind: 'code_received'; response: PairingStartResponse }
  | { kind: 'poll_result'; pairingId: string; result: PairingPoll }
  /** A request without a usable response. */
  | {
      kind: 'request_failed';
      request: 'request_code' | 'poll';
      code: FaultCode;
      reason?: string | null;
      afterMs: number | null;
    };

export type PairingEffect =
  | { kind: 'request_code' }
  | { kind: 'poll'; session: PairingSession }
  | { kind: 'save_session'; session: PairingSession | null }
  | { kind: 'save_identity'; identity: Identity };

type StepResult = [PairingState, PairingEffect[]];

export interface PairingNow {
  monoMs: number;
  /** Milliseconds since 1970; corrected by every response of the cloud. */
  wallMs: number;
  /** 0 ≤ random < 1. */
  random: number;
}

const RETRY = { baseMs: 2_000, capMs: 60_000 };
/** The next code is requested this long before the current one expires: well within what the cloud allows. */
const RENEWAL_LEAD_MS = (PAIRING_RENEWAL_MS * 3) / 4;

const CODE_LIFETIME_MS = 15 * 60_000;

/** When the next code replaces this one, in milliseconds since 1970. */
export const renewalDueAtMs = (session: PairingSession): number => session.expiresAtMs - RENEWAL_LEAD_MS;

/** The session whose code is shown; null when none is valid. */
export const visibleSession = (state: PairingState | null): PairingSession | null =>
  state?.kind === 'showing_code' && !state.isExpired ? state.session : null;

export function initialPairingState(storedSession: PairingSession | null, now: PairingNow): PairingState {
  return storedSession ? showingCode(storedSession, now) : requestingCode(now);
}

/** When the state machine needs its next `tick`, by the monotonic clock. */
export function nextPairingTickMonoMs(state: PairingState, now: Omit<PairingNow, 'random'>): number {
  switch (state.kind) {
    case 'requesting_code':
      return state.retryAtMonoMs;
    case 'showing_code': {
      const toMonoMs = (wallMs: number) => now.monoMs + wallMs - now.wallMs;
      return Math.min(
        state.pollAtMonoMs,
        Math.max(state.renewAtMonoMs, toMonoMs(renewalDueAtMs(state.session))),
        state.isExpired ? Number.POSITIVE_INFINITY : toMonoMs(state.session.expiresAtMs),
      );
    }
    case 'paired':
      return Number.POSITIVE_INFINITY;
  }
  return state satisfies never;
}

export function stepPairing(state: PairingState, event: PairingEvent, now: PairingNow): StepResult {
  switch (event.kind) {
    case 'tick':
      return handleTick(state, now);
    case 'code_received':
      return handleCode(state, createSession(event.response, now), now);
    case 'poll_result':
      return state.kind === 'showing_code' ? handlePollResult(state, event, now) : [state, []];
    case 'request_failed':
      return [handleFailure(state, event, now), []];
  }
  return event satisfies never;
}

function handleTick(state: PairingState, now: PairingNow): StepResult {
  if (state.kind === 'paired') {
    return [state, []];
  }
  if (state.kind === 'requesting_code') {
    return [state, now.monoMs < state.retryAtMonoMs ? [] : [{ kind: 'request_code' }]];
  }
  const { session, previous } = state;
  const effects: PairingEffect[] = [];
  if (now.wallMs >= renewalDueAtMs(session) && now.monoMs >= state.renewAtMonoMs) {
    effects.push({ kind: 'request_code' });
  }
  if (now.monoMs >= state.pollAtMonoMs) {
    if (previous) {
      effects.push({ kind: 'poll', session: previous });
    }
    effects.push({ kind: 'poll', session });
  }
  return [{ ...state, isExpired: now.wallMs >= session.expiresAtMs }, effects];
}

function handleCode(state: PairingState, session: PairingSession, now: PairingNow): StepResult {
  if (state.kind === 'paired') {
    return [state, []];
  }
  const pollAtMonoMs = now.monoMs + session.intervalMs;
  if (state.kind === 'requesting_code') {
    return [{ ...showingCode(session, now), pollAtMonoMs }, [{ kind: 'save_session', session }]];
  }
  // The cloud returned the same session: it issues the next one once this one has expired.
  if (session.pairingId === state.session.pairingId) {
    return [{ ...state, renewAtMonoMs: Number.POSITIVE_INFINITY }, []];
  }
  const next = { ...showingCode(session, now), previous: state.session, pollAtMonoMs: state.pollAtMonoMs };
  return [next, [{ kind: 'save_session', session }]];
}

function handlePollResult(
  state: ShowingCode,
  { pairingId, result }: Extract<PairingEvent, { kind: 'poll_result' }>,
  now: PairingNow,
): StepResult {
  const recovered = { ...state, failedPolls: 0, problem: null };
  switch (result.kind) {
    case 'pending': {
      const { intervalMs } = result;
      return [{ ...recovered, intervalMs, pollAtMonoMs: now.monoMs + intervalMs }, []];
    }
    case 'slow_down': {
      // RFC 8628: five seconds more from now on.
      const intervalMs = Math.max(state.intervalMs + 5_000, result.afterMs);
      return [{ ...recovered, intervalMs, pollAtMonoMs: now.monoMs + intervalMs }, []];
    }
    case 'expired':
      if (pairingId !== state.session.pairingId) {
        return [{ ...state, previous: null }, []];
      }
      return handleTick(requestingCode(now), now);
    case 'paired':
      return [
        { kind: 'paired', identity: result.identity },
        [
          { kind: 'save_identity', identity: result.identity },
          { kind: 'save_session', session: null },
        ],
      ];
  }
  return result satisfies never;
}

function handleFailure(
  state: PairingState,
  event: Extract<PairingEvent, { kind: 'request_failed' }>,
  now: PairingNow,
): PairingState {
  switch (state.kind) {
    case 'requesting_code': {
      const attempts = state.attempts + 1;
      const waitMs = event.afterMs ?? backoffMs(state.attempts, now.random, RETRY);
      return {
        ...state,
        attempts,
        retryAtMonoMs: now.monoMs + waitMs,
        problem: { code: event.code, reason: event.reason ?? null, attempts },
      };
    }
    case 'showing_code': {
      if (event.request === 'request_code') {
        const waitMs = event.afterMs ?? backoffMs(state.failedCodeRequests, now.random, RETRY);
        return {
          ...state,
          failedCodeRequests: state.failedCodeRequests + 1,
          renewAtMonoMs: now.monoMs + waitMs,
        };
      }
      // The code may still be valid: it stays, and the screen shows the problem next to it.
      const failedPolls = state.failedPolls + 1;
      const waitMs = event.afterMs ?? backoffMs(state.failedPolls, now.random, RETRY);
      return {
        ...state,
        failedPolls,
        pollAtMonoMs: now.monoMs + Math.max(waitMs, state.intervalMs),
        problem: { code: event.code, reason: event.reason ?? null, attempts: failedPolls },
      };
    }
    case 'paired':
      return state;
  }
  return state satisfies never;
}

const requestingCode = (now: PairingNow): PairingState => ({
  kind: 'requesting_code',
  attempts: 0,
  retryAtMonoMs: now.monoMs,
  problem: null,
});

/** Polls at once. */
const showingCode = (session: PairingSession, now: PairingNow): ShowingCode => ({
  kind: 'showing_code',
  session,
  previous: null,
  isExpired: now.wallMs >= session.expiresAtMs,
  renewAtMonoMs: now.monoMs,
  failedCodeRequests: 0,
  pollAtMonoMs: now.monoMs,
  intervalMs: session.intervalMs,
  failedPolls: 0,
  problem: null,
});

/** A new code is valid, even if it has expired by the unconfirmed clock of the device. */
const expiryMs = (response: PairingStartResponse, now: PairingNow): number => {
  const expiresAtMs = Date.parse(response.expires_at);
  return expiresAtMs > now.wallMs ? expiresAtMs : now.wallMs + CODE_LIFETIME_MS;
};

const createSession = (response: PairingStartResponse, now: PairingNow): PairingSession => ({
  pairingId: response.pairing_id,
  pollToken: response.poll_token,
  code: response.code,
  verificationUrl: response.verification_url,
  verificationUrlComplete: response.verification_url_complete,
  expiresAtMs: expiryMs(response, now),
  intervalMs: response.interval * 1_000,
});

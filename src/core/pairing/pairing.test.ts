import { describe, expect, test } from 'vitest';
import type { PairingPoll } from './pairing-session.ts';
import { nextPairingTickMonoMs, visibleSession, initialPairingState, stepPairing } from './pairing.ts';
import type { PairingEvent, PairingNow, PairingState } from './pairing.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const at = (monoMs: number) => ({ monoMs, wallMs: NOON + monoMs, random: 0.5 });
const response = {
  pairing_id: 'pair_1',
  poll_token: 'secret',
  code: 'BCD-FGH',
  verification_url: 'http://cloud.test/pair',
  verification_url_complete: 'http://cloud.test/pair?code=BCD-FGH',
  expires_at: '2026-11-20T12:15:00.000Z',
  interval: 5,
};
const identity = { deviceId: 'dev_1', deviceToken: 'token' };

const poll = (result: PairingPoll, pairingId = 'pair_1'): PairingEvent => ({
  kind: 'poll_result',
  pairingId,
  result,
});
const failed = (
  request: 'request_code' | 'poll',
  code: 'cloud.unreachable' | 'cloud.busy',
  afterMs: number | null,
) => ({
  kind: 'request_failed' as const,
  request,
  code,
  afterMs,
});
const wakeAt = (state: PairingState, now: PairingNow = at(0)) => nextPairingTickMonoMs(state, now);

const showingState = (): PairingState => {
  const [state] = stepPairing(initialPairingState(null, at(0)), { kind: 'code_received', response }, at(0));
  return state;
};

describe('asking for a code', () => {
  test('a new device requests a code at once', () => {
    const [, effects] = stepPairing(initialPairingState(null, at(0)), { kind: 'tick' }, at(0));
    expect(effects).toEqual([{ kind: 'request_code' }]);
  });

  test('a response puts the code on the screen and on disk', () => {
    const [state, effects] = stepPairing(
      initialPairingState(null, at(0)),
      { kind: 'code_received', response },
      at(100),
    );
    expect(state).toMatchObject({ kind: 'showing_code', session: { code: 'BCD-FGH', intervalMs: 5_000 } });
    expect(wakeAt(state)).toBe(5_100);
    expect(effects).toMatchObject([{ kind: 'save_session', session: { pollToken: 'secret' } }]);
  });

  test('a new code is shown although it has expired by the local clock', () => {
    const ahead = { ...at(100), wallMs: NOON + 86_400_000 };
    const [state] = stepPairing(initialPairingState(null, ahead), { kind: 'code_received', response }, ahead);
    expect(visibleSession(state)).toMatchObject({ code: 'BCD-FGH' });
    const later = { ...at(600_000), wallMs: NOON + 86_400_000 + 600_000 };
    expect(visibleSession(stepPairing(state, { kind: 'tick' }, later)[0])).toMatchObject({ code: 'BCD-FGH' });
  });

  test('failures back off, report the problem and never give up', () => {
    let state = initialPairingState(null, at(0));
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const now = at(wakeAt(state));
      const [, effects] = stepPairing(state, { kind: 'tick' }, now);
      expect(effects).toEqual([{ kind: 'request_code' }]);
      [state] = stepPairing(state, failed('request_code', 'cloud.unreachable', null), now);
      waits.push(wakeAt(state) - now.monoMs);
    }
    expect(waits).toEqual([1_100, 2_200, 4_400, 8_800, 17_600, 33_000, 33_000, 33_000]);
    expect(state).toMatchObject({
      kind: 'requesting_code',
      problem: { code: 'cloud.unreachable', attempts: 8 },
    });
  });

  test('a wait requested by the cloud is respected', () => {
    const [state] = stepPairing(
      initialPairingState(null, at(0)),
      failed('request_code', 'cloud.busy', 42_000),
      at(10),
    );
    expect(wakeAt(state)).toBe(42_010);
  });

  test('nothing is requested before its time', () => {
    const [state] = stepPairing(
      initialPairingState(null, at(0)),
      failed('request_code', 'cloud.busy', 1_000),
      at(0),
    );
    expect(stepPairing(state, { kind: 'tick' }, at(999))[1]).toEqual([]);
  });
});

describe('showing a code', () => {
  test('the code is polled at the interval of the cloud', () => {
    const state = showingState();
    expect(stepPairing(state, { kind: 'tick' }, at(4_999))[1]).toEqual([]);
    expect(stepPairing(state, { kind: 'tick' }, at(5_000))[1]).toMatchObject([{ kind: 'poll' }]);
    const [next] = stepPairing(state, poll({ kind: 'pending', intervalMs: 7_000 }), at(5_000));
    expect(wakeAt(next)).toBe(12_000);
  });

  test('slow_down adds five seconds, and a longer requested wait is respected', () => {
    const [state] = stepPairing(showingState(), poll({ kind: 'slow_down', afterMs: 0 }), at(5_000));
    expect(wakeAt(state)).toBe(15_000);
    const [slower] = stepPairing(state, poll({ kind: 'slow_down', afterMs: 60_000 }), at(15_000));
    expect(wakeAt(slower)).toBe(75_000);
  });

  test('an unreachable cloud does not remove the code from the screen', () => {
    const [state] = stepPairing(showingState(), failed('poll', 'cloud.unreachable', null), at(5_000));
    expect(state).toMatchObject({
      kind: 'showing_code',
      session: { code: 'BCD-FGH' },
      problem: { code: 'cloud.unreachable' },
    });
    const [recovered] = stepPairing(state, poll({ kind: 'pending', intervalMs: 5_000 }), at(20_000));
    expect(recovered).toMatchObject({ problem: null });
  });

  test('an expired code is replaced by the next one, requested at once', () => {
    const [state, effects] = stepPairing(showingState(), poll({ kind: 'expired' }), at(800_000));
    expect(effects).toEqual([{ kind: 'request_code' }]);
    expect(state).toMatchObject({ kind: 'requesting_code', problem: null });
  });

  test('a confirmed code saves the identity before the session is deleted', () => {
    const [state, effects] = stepPairing(showingState(), poll({ kind: 'paired', identity }), at(5_000));
    expect(state).toEqual({ kind: 'paired', identity });
    expect(effects).toEqual([
      { kind: 'save_identity', identity },
      { kind: 'save_session', session: null },
    ]);
  });

  test('after a restart the stored session is polled at once, without requesting a new code', () => {
    const first = showingState();
    if (first.kind !== 'showing_code') {
      throw new Error('no code');
    }
    const again = initialPairingState(first.session, at(77));
    expect(stepPairing(again, { kind: 'tick' }, at(77))[1]).toEqual([
      { kind: 'poll', session: first.session },
    ]);
  });
});

describe('a code that expires soon', () => {
  const DUE = 900_000 - 45_000;
  const next = {
    ...response,
    pairing_id: 'pair_2',
    code: 'JKL-MNP',
    expires_at: new Date(NOON + DUE + 900_000).toISOString(),
  };
  /** Last polled just before. */
  const due = () =>
    stepPairing(showingState(), poll({ kind: 'pending', intervalMs: 60_000 }), at(DUE - 1_000))[0];
  const renewed = () => stepPairing(due(), { kind: 'code_received', response: next }, at(DUE))[0];

  test('requests the next one once, while it is still valid', () => {
    expect(wakeAt(due(), at(DUE - 500))).toBe(DUE);
    const [state, effects] = stepPairing(due(), { kind: 'tick' }, at(DUE));
    expect(effects).toEqual([{ kind: 'request_code' }]);
    expect(state).toMatchObject({ kind: 'showing_code', session: { code: 'BCD-FGH' }, isExpired: false });
    expect(stepPairing(renewed(), { kind: 'tick' }, at(DUE + 1))[1]).toEqual([]);
  });

  test('is replaced by the next one, which is stored on disk', () => {
    const [state, effects] = stepPairing(due(), { kind: 'code_received', response: next }, at(DUE));
    expect(state).toMatchObject({
      kind: 'showing_code',
      session: { code: 'JKL-MNP' },
      previous: { code: 'BCD-FGH' },
      isExpired: false,
    });
    expect(effects).toMatchObject([{ kind: 'save_session', session: { pairingId: 'pair_2' } }]);
  });

  test('is polled until it expires, because somebody may be typing it', () => {
    const now = at(DUE + 59_000);
    expect(stepPairing(renewed(), { kind: 'tick' }, now)[1]).toMatchObject([
      { kind: 'poll', session: { pairingId: 'pair_1' } },
      { kind: 'poll', session: { pairingId: 'pair_2' } },
    ]);
    const [both] = stepPairing(renewed(), poll({ kind: 'pending', intervalMs: 2_000 }), now);
    expect(both).toMatchObject({ session: { code: 'JKL-MNP' }, previous: { code: 'BCD-FGH' } });
    expect(stepPairing(both, poll({ kind: 'paired', identity }), now)[0]).toEqual({
      kind: 'paired',
      identity,
    });
    const [alone, effects] = stepPairing(both, poll({ kind: 'expired' }), now);
    expect(effects).toEqual([]);
    expect(alone).toMatchObject({ session: { code: 'JKL-MNP' }, previous: null });
  });

  test('stays when the next one cannot be fetched, and retries with back-off', () => {
    const [state] = stepPairing(due(), failed('request_code', 'cloud.busy', null), at(DUE));
    expect(state).toMatchObject({ kind: 'showing_code', session: { code: 'BCD-FGH' }, problem: null });
    expect(wakeAt(state, at(DUE))).toBe(DUE + 1_100);
    // Polls succeed in the meantime.
    const [polled] = stepPairing(state, poll({ kind: 'pending', intervalMs: 5_000 }), at(DUE));
    const [again] = stepPairing(polled, failed('request_code', 'cloud.busy', null), at(DUE));
    expect(wakeAt(again, at(DUE))).toBe(DUE + 2_200);
    const [later] = stepPairing(due(), failed('request_code', 'cloud.busy', 30_000), at(DUE));
    expect(wakeAt(later, at(DUE))).toBe(DUE + 30_000);
  });

  test('stays when the cloud returns the same one, and no further request follows', () => {
    const [state] = stepPairing(due(), { kind: 'code_received', response }, at(DUE));
    expect(state).toMatchObject({ session: { code: 'BCD-FGH' }, previous: null });
    expect(stepPairing(state, { kind: 'tick' }, at(DUE + 10_000))[1]).toEqual([]);
  });

  test('expires to the millisecond and is still polled: it may have been typed at the last moment', () => {
    const [state] = stepPairing(due(), failed('request_code', 'cloud.unreachable', 1_000_000), at(DUE));
    const [unreachable] = stepPairing(state, failed('poll', 'cloud.unreachable', 60_000), at(DUE));
    expect(wakeAt(unreachable, at(DUE))).toBe(900_000);
    const [over] = stepPairing(unreachable, { kind: 'tick' }, at(900_000));
    expect(over).toMatchObject({
      kind: 'showing_code',
      isExpired: true,
      problem: { code: 'cloud.unreachable' },
    });
    expect(wakeAt(over, at(900_000))).toBe(DUE + 60_000);
    expect(stepPairing(over, { kind: 'tick' }, at(DUE + 60_000))[1]).toMatchObject([{ kind: 'poll' }]);
    expect(stepPairing(over, poll({ kind: 'paired', identity }), at(DUE + 60_000))[0].kind).toBe('paired');
  });
});

test('late responses do not affect a paired player', () => {
  const paired: PairingState = { kind: 'paired', identity };
  expect(stepPairing(paired, { kind: 'code_received', response }, at(0))).toEqual([paired, []]);
  expect(stepPairing(paired, poll({ kind: 'expired' }), at(0))).toEqual([paired, []]);
  expect(stepPairing(paired, failed('request_code', 'cloud.busy', null), at(0))[0]).toBe(paired);
  expect(stepPairing(paired, { kind: 'tick' }, at(1e9))[1]).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import type { PairingPoll } from '../ports.ts';
import {
  pairingWakeAt,
  sessionShown,
  startPairing,
  stepPairing,
  type PairingEvent,
  type PairingNow,
  type PairingState,
} from './pairing.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const at = (monoMs: number) => ({ monoMs, wallMs: NOON + monoMs, chance: 0.5 });
const answer = {
  pairing_id: 'pair_1',
  poll_token: 'secret',
  code: 'BCD-FGH',
  verification_url: 'http://cloud.test/pair',
  verification_url_complete: 'http://cloud.test/pair?code=BCD-FGH',
  expires_at: '2026-11-20T12:15:00.000Z',
  interval: 5,
};
const identity = { deviceId: 'dev_1', deviceToken: 'token' };

const poll = (answer: PairingPoll, pairingId = 'pair_1'): PairingEvent => ({
  kind: 'poll',
  pairingId,
  answer,
});
const failed = (of: 'ask' | 'poll', code: 'cloud.unreachable' | 'cloud.busy', afterMs: number | null) => ({
  kind: 'failed' as const,
  of,
  code,
  afterMs,
});
const wakeAt = (state: PairingState, now: PairingNow = at(0)) => pairingWakeAt(state, now);

const shown = (): PairingState => {
  const [state] = stepPairing(startPairing(null, at(0)), { kind: 'code', answer }, at(0));
  return state;
};

describe('asking for a code', () => {
  test('a fresh screen asks at once', () => {
    const [, effects] = stepPairing(startPairing(null, at(0)), { kind: 'tick' }, at(0));
    expect(effects).toEqual([{ kind: 'ask' }]);
  });

  test('an answer puts the code on the screen and on disk', () => {
    const [state, effects] = stepPairing(startPairing(null, at(0)), { kind: 'code', answer }, at(100));
    expect(state).toMatchObject({ kind: 'showing', session: { code: 'BCD-FGH', intervalMs: 5_000 } });
    expect(wakeAt(state)).toBe(5_100);
    expect(effects).toMatchObject([{ kind: 'keep', session: { pollToken: 'secret' } }]);
  });

  test('a code that was just given is shown, though the clock of this box says that it is over', () => {
    const ahead = { ...at(100), wallMs: NOON + 86_400_000 };
    const [state] = stepPairing(startPairing(null, ahead), { kind: 'code', answer }, ahead);
    expect(sessionShown(state)).toMatchObject({ code: 'BCD-FGH' });
    const later = { ...at(600_000), wallMs: NOON + 86_400_000 + 600_000 };
    expect(sessionShown(stepPairing(state, { kind: 'tick' }, later)[0])).toMatchObject({ code: 'BCD-FGH' });
  });

  test('failures back off, name the problem and never give up', () => {
    let state = startPairing(null, at(0));
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const now = at(wakeAt(state));
      const [, effects] = stepPairing(state, { kind: 'tick' }, now);
      expect(effects).toEqual([{ kind: 'ask' }]);
      [state] = stepPairing(state, failed('ask', 'cloud.unreachable', null), now);
      waits.push(wakeAt(state) - now.monoMs);
    }
    expect(waits).toEqual([1_100, 2_200, 4_400, 8_800, 17_600, 33_000, 33_000, 33_000]);
    expect(state).toMatchObject({ kind: 'asking', problem: { code: 'cloud.unreachable', attempts: 8 } });
  });

  test('a wait that the cloud states is kept', () => {
    const [state] = stepPairing(startPairing(null, at(0)), failed('ask', 'cloud.busy', 42_000), at(10));
    expect(wakeAt(state)).toBe(42_010);
  });

  test('nothing is asked before its time', () => {
    const [state] = stepPairing(startPairing(null, at(0)), failed('ask', 'cloud.busy', 1_000), at(0));
    expect(stepPairing(state, { kind: 'tick' }, at(999))[1]).toEqual([]);
  });
});

describe('showing a code', () => {
  test('it is polled by the interval that the cloud states', () => {
    const state = shown();
    expect(stepPairing(state, { kind: 'tick' }, at(4_999))[1]).toEqual([]);
    expect(stepPairing(state, { kind: 'tick' }, at(5_000))[1]).toMatchObject([{ kind: 'poll' }]);
    const [next] = stepPairing(state, poll({ kind: 'pending', intervalMs: 7_000 }), at(5_000));
    expect(wakeAt(next)).toBe(12_000);
  });

  test('slow down adds five seconds, and a longer wait is kept', () => {
    const [state] = stepPairing(shown(), poll({ kind: 'slow_down', afterMs: 0 }), at(5_000));
    expect(wakeAt(state)).toBe(15_000);
    const [slower] = stepPairing(state, poll({ kind: 'slow_down', afterMs: 60_000 }), at(15_000));
    expect(wakeAt(slower)).toBe(75_000);
  });

  test('an unreachable cloud leaves the code on the screen', () => {
    const [state] = stepPairing(shown(), failed('poll', 'cloud.unreachable', null), at(5_000));
    expect(state).toMatchObject({
      kind: 'showing',
      session: { code: 'BCD-FGH' },
      problem: { code: 'cloud.unreachable' },
    });
    const [well] = stepPairing(state, poll({ kind: 'pending', intervalMs: 5_000 }), at(20_000));
    expect(well).toMatchObject({ problem: null });
  });

  test('a code that the cloud calls expired makes room for the next one, asked for at once', () => {
    const [state, effects] = stepPairing(shown(), poll({ kind: 'expired' }), at(800_000));
    expect(effects).toEqual([{ kind: 'ask' }]);
    expect(state).toMatchObject({ kind: 'asking', problem: null });
  });

  test('a confirmed code saves the identity before it forgets the session', () => {
    const [state, effects] = stepPairing(shown(), poll({ kind: 'paired', identity }), at(5_000));
    expect(state).toEqual({ kind: 'paired', identity });
    expect(effects).toEqual([
      { kind: 'save_identity', identity },
      { kind: 'keep', session: null },
    ]);
  });

  test('a restart polls the kept session at once instead of asking for a new code', () => {
    const first = shown();
    if (first.kind !== 'showing') throw new Error('no code');
    const again = startPairing(first.session, at(77));
    expect(stepPairing(again, { kind: 'tick' }, at(77))[1]).toEqual([
      { kind: 'poll', session: first.session },
    ]);
  });
});

describe('a code whose time is nearly up', () => {
  const DUE = 900_000 - 45_000;
  const next = {
    ...answer,
    pairing_id: 'pair_2',
    code: 'JKL-MNP',
    expires_at: new Date(NOON + DUE + 900_000).toISOString(),
  };
  /** Polled for the last time just before. */
  const due = () => stepPairing(shown(), poll({ kind: 'pending', intervalMs: 60_000 }), at(DUE - 1_000))[0];
  const renewed = () => stepPairing(due(), { kind: 'code', answer: next }, at(DUE))[0];

  test('asks for the next one while it is good yet, and once', () => {
    expect(wakeAt(due(), at(DUE - 500))).toBe(DUE);
    const [state, effects] = stepPairing(due(), { kind: 'tick' }, at(DUE));
    expect(effects).toEqual([{ kind: 'ask' }]);
    expect(state).toMatchObject({ kind: 'showing', session: { code: 'BCD-FGH' }, over: false });
    expect(stepPairing(renewed(), { kind: 'tick' }, at(DUE + 1))[1]).toEqual([]);
  });

  test('gives its place to the next one, which is kept on disk', () => {
    const [state, effects] = stepPairing(due(), { kind: 'code', answer: next }, at(DUE));
    expect(state).toMatchObject({
      kind: 'showing',
      session: { code: 'JKL-MNP' },
      previous: { code: 'BCD-FGH' },
      over: false,
    });
    expect(effects).toMatchObject([{ kind: 'keep', session: { pairingId: 'pair_2' } }]);
  });

  test('is polled until it is over, for somebody may be typing it', () => {
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

  test('stays when the next one cannot be had, and asks again with back-off', () => {
    const [state] = stepPairing(due(), failed('ask', 'cloud.busy', null), at(DUE));
    expect(state).toMatchObject({ kind: 'showing', session: { code: 'BCD-FGH' }, problem: null });
    expect(wakeAt(state, at(DUE))).toBe(DUE + 1_100);
    // The polls go well meanwhile.
    const [polled] = stepPairing(state, poll({ kind: 'pending', intervalMs: 5_000 }), at(DUE));
    const [again] = stepPairing(polled, failed('ask', 'cloud.busy', null), at(DUE));
    expect(wakeAt(again, at(DUE))).toBe(DUE + 2_200);
    const [later] = stepPairing(due(), failed('ask', 'cloud.busy', 30_000), at(DUE));
    expect(wakeAt(later, at(DUE))).toBe(DUE + 30_000);
  });

  test('stays when the cloud has no other one, and is not asked for again', () => {
    const [state] = stepPairing(due(), { kind: 'code', answer }, at(DUE));
    expect(state).toMatchObject({ session: { code: 'BCD-FGH' }, previous: null });
    expect(stepPairing(state, { kind: 'tick' }, at(DUE + 10_000))[1]).toEqual([]);
  });

  test('is over at its end to the millisecond, and polled on: it may have been typed at the last moment', () => {
    const [state] = stepPairing(due(), failed('ask', 'cloud.unreachable', 1_000_000), at(DUE));
    const [unreachable] = stepPairing(state, failed('poll', 'cloud.unreachable', 60_000), at(DUE));
    expect(wakeAt(unreachable, at(DUE))).toBe(900_000);
    const [over] = stepPairing(unreachable, { kind: 'tick' }, at(900_000));
    expect(over).toMatchObject({ kind: 'showing', over: true, problem: { code: 'cloud.unreachable' } });
    expect(wakeAt(over, at(900_000))).toBe(DUE + 60_000);
    expect(stepPairing(over, { kind: 'tick' }, at(DUE + 60_000))[1]).toMatchObject([{ kind: 'poll' }]);
    expect(stepPairing(over, poll({ kind: 'paired', identity }), at(DUE + 60_000))[0].kind).toBe('paired');
  });
});

test('late answers do not move a paired player', () => {
  const paired: PairingState = { kind: 'paired', identity };
  expect(stepPairing(paired, { kind: 'code', answer }, at(0))).toEqual([paired, []]);
  expect(stepPairing(paired, poll({ kind: 'expired' }), at(0))).toEqual([paired, []]);
  expect(stepPairing(paired, failed('ask', 'cloud.busy', null), at(0))[0]).toBe(paired);
  expect(stepPairing(paired, { kind: 'tick' }, at(1e9))[1]).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { pairingWakeAt, startPairing, stepPairing, type PairingState } from './pairing.ts';

const at = (monoMs: number) => ({ monoMs, chance: 0.5 });
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
    expect(pairingWakeAt(state)).toBe(5_100);
    expect(effects).toMatchObject([{ kind: 'keep', session: { pollToken: 'secret' } }]);
  });

  test('failures back off, name the problem and never give up', () => {
    let state = startPairing(null, at(0));
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const now = at(pairingWakeAt(state));
      const [, effects] = stepPairing(state, { kind: 'tick' }, now);
      expect(effects).toEqual([{ kind: 'ask' }]);
      [state] = stepPairing(state, { kind: 'failed', code: 'cloud.unreachable', afterMs: null }, now);
      waits.push(pairingWakeAt(state) - now.monoMs);
    }
    expect(waits).toEqual([1_100, 2_200, 4_400, 8_800, 17_600, 33_000, 33_000, 33_000]);
    expect(state).toMatchObject({ kind: 'asking', problem: { code: 'cloud.unreachable', attempts: 8 } });
  });

  test('a wait that the cloud states is kept', () => {
    const [state] = stepPairing(
      startPairing(null, at(0)),
      { kind: 'failed', code: 'cloud.busy', afterMs: 42_000 },
      at(10),
    );
    expect(pairingWakeAt(state)).toBe(42_010);
  });

  test('nothing is asked before its time', () => {
    const [state] = stepPairing(
      startPairing(null, at(0)),
      { kind: 'failed', code: 'cloud.busy', afterMs: 1_000 },
      at(0),
    );
    expect(stepPairing(state, { kind: 'tick' }, at(999))[1]).toEqual([]);
  });
});

describe('showing a code', () => {
  test('it is polled by the interval that the cloud states', () => {
    const state = shown();
    expect(stepPairing(state, { kind: 'tick' }, at(4_999))[1]).toEqual([]);
    expect(stepPairing(state, { kind: 'tick' }, at(5_000))[1]).toMatchObject([{ kind: 'poll' }]);
    const [next] = stepPairing(
      state,
      { kind: 'poll', answer: { kind: 'pending', intervalMs: 7_000 } },
      at(5_000),
    );
    expect(pairingWakeAt(next)).toBe(12_000);
  });

  test('slow down adds five seconds, and a longer wait is kept', () => {
    const [state] = stepPairing(
      shown(),
      { kind: 'poll', answer: { kind: 'slow_down', afterMs: 0 } },
      at(5_000),
    );
    expect(pairingWakeAt(state)).toBe(15_000);
    const [slower] = stepPairing(
      state,
      { kind: 'poll', answer: { kind: 'slow_down', afterMs: 60_000 } },
      at(15_000),
    );
    expect(pairingWakeAt(slower)).toBe(75_000);
  });

  test('an unreachable cloud leaves the code on the screen', () => {
    const [state] = stepPairing(
      shown(),
      { kind: 'failed', code: 'cloud.unreachable', afterMs: null },
      at(5_000),
    );
    expect(state).toMatchObject({
      kind: 'showing',
      session: { code: 'BCD-FGH' },
      problem: { code: 'cloud.unreachable' },
    });
    const [well] = stepPairing(
      state,
      { kind: 'poll', answer: { kind: 'pending', intervalMs: 5_000 } },
      at(20_000),
    );
    expect(well).toMatchObject({ problem: null });
  });

  test('an expired code asks for the next one at once and stays until it is there', () => {
    const [state, effects] = stepPairing(shown(), { kind: 'poll', answer: { kind: 'expired' } }, at(900_000));
    expect(effects).toEqual([{ kind: 'ask' }]);
    expect(state).toMatchObject({ kind: 'asking', stale: { code: 'BCD-FGH' } });
  });

  test('a confirmed code saves the identity before it forgets the session', () => {
    const [state, effects] = stepPairing(
      shown(),
      { kind: 'poll', answer: { kind: 'paired', identity } },
      at(5_000),
    );
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

test('late answers do not move a paired player', () => {
  const paired: PairingState = { kind: 'paired', identity };
  expect(stepPairing(paired, { kind: 'code', answer }, at(0))).toEqual([paired, []]);
  expect(stepPairing(paired, { kind: 'poll', answer: { kind: 'expired' } }, at(0))).toEqual([paired, []]);
  expect(stepPairing(paired, { kind: 'failed', code: 'cloud.tls', afterMs: null }, at(0))[0]).toBe(paired);
  expect(stepPairing(paired, { kind: 'tick' }, at(1e9))[1]).toEqual([]);
});

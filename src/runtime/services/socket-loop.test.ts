import { SOCKET_CLOSE } from '@placard/protocol';
import type { PushedMessage } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import type { ManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import type { SocketCloseResult } from '../../core/ports.ts';
import { createPlayerState } from '../base/player-state.ts';
import { createSocketLoop } from './socket-loop.ts';

const HOUR_MS = 3_600_000;
const WELCOME: PushedMessage = {
  type: 'welcome',
  protocol: 1,
  server_time: '2026-11-20T12:00:00.000Z',
  manifest_revision: 'none',
  heartbeat_interval: 60,
};

/** Runs a socket loop until the end of the test; each socket is welcomed, then `hold` decides when and how it closes. */
function runSocketLoop(hold: (clock: ManualClock, signal: AbortSignal) => Promise<SocketCloseResult>) {
  const clock = createManualClock();
  const playerState = createPlayerState({ clock });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const loop = createSocketLoop({
    clock,
    random: createSeededRandom(),
    link: {
      ...createMemoryCloud({ clock }).createDeviceLink('token'),
      async openSocket(socket, signal) {
        socket.onMessage(WELCOME);
        return hold(clock, signal);
      },
    },
    playerState,
    playerVersion: '1.0.0',
    bootId: 'boot-1',
    onMessage: () => {},
    onSocketUnavailable: () => {},
    onUnpaired: () => {},
    log: createRecordingLog(),
  });
  void loop.run(stop.signal);
  return { clock, playerState };
}

/** How often a socket is opened within an hour, when each one stays open for `openMs`. */
async function openedInAnHour(openMs: number, end: SocketCloseResult): Promise<number> {
  let opened = 0;
  const { clock } = runSocketLoop(async (time, signal) => {
    opened += 1;
    await time.sleep(openMs, signal);
    return end;
  });
  await clock.advance(HOUR_MS);
  return opened;
}

test('a cloud that welcomes and closes at once is called with increasing backoff', async () => {
  expect(
    await openedInAnHour(0, { kind: 'closed', code: 1013, welcomed: true, retryAfterMs: null }),
  ).toBeLessThan(180);
});

// Nodes of the cloud that fail one after the other are no reason to wait longer each time.
test.each([
  [120_000, 28],
  [30_000, 95],
])('a socket that was open for %d ms is reopened within seconds', async (openMs, least) => {
  expect(
    await openedInAnHour(openMs, { kind: 'closed', code: 1006, welcomed: true, retryAfterMs: null }),
  ).toBeGreaterThan(least);
});

test('a cloud that stops decides when its players come back', async () => {
  const openings: number[] = [];
  const { clock } = runSocketLoop(async (time, signal) => {
    openings.push(time.monoMs());
    await time.sleep(120_000, signal);
    return { kind: 'closed', code: SOCKET_CLOSE.goingAway, welcomed: true, retryAfterMs: 60_000 };
  });
  await clock.advance(HOUR_MS);
  const waits = openings.slice(1).map((atMs, index) => atMs - (openings[index] ?? 0) - 120_000);
  expect(waits.length).toBeGreaterThan(10);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(60_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(60_500);
});

test('a cloud that sends its players away at once again and again is called with increasing backoff', async () => {
  expect(
    await openedInAnHour(0, {
      kind: 'closed',
      code: SOCKET_CLOSE.goingAway,
      welcomed: true,
      retryAfterMs: 0,
    }),
  ).toBeLessThan(180);
});

test('two players with one token do not replace each other all the time', async () => {
  expect(
    await openedInAnHour(100, {
      kind: 'closed',
      code: SOCKET_CLOSE.replaced,
      welcomed: true,
      retryAfterMs: null,
    }),
  ).toBeLessThan(180);
});

test('a replaced socket raises a fault until the player was not replaced for five minutes', async () => {
  let others = 3;
  const { clock, playerState } = runSocketLoop(async (time, signal) => {
    await time.sleep(others-- > 0 ? 20_000 : HOUR_MS, signal);
    return { kind: 'closed', code: SOCKET_CLOSE.replaced, welcomed: true, retryAfterMs: null };
  });
  const raisedCodes = () => playerState.faults().map(({ code }) => code);
  expect(raisedCodes()).toEqual([]);
  await clock.advanceUntil(() => raisedCodes().includes('identity.shared'), 30_000);
  // Three times, at least half a minute apart.
  await clock.advanceUntil(() => others < 0, 300_000);
  await clock.advance(240_000);
  expect(raisedCodes()).toEqual(['identity.shared']);
  await clock.advance(61_000);
  expect(raisedCodes()).toEqual([]);
});

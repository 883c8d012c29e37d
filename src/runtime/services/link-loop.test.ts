import { SOCKET_CLOSE, type ServerMessage } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createSeededRandom } from '../../../test/support/player-box.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import type { SocketEnd } from '../../core/ports.ts';
import { createBoard } from '../board.ts';
import { createLinkLoop } from './link-loop.ts';

const HOUR_MS = 3_600_000;
const WELCOME: ServerMessage = {
  type: 'welcome',
  protocol: 1,
  server_time: '2026-11-20T12:00:00.000Z',
  manifest_revision: 'none',
  heartbeat_interval: 60,
};

/** How often a socket is opened within an hour, when each is welcomed and stands for so long. */
async function openedInAnHour(standsMs: number, end: SocketEnd): Promise<number> {
  const clock = createManualClock();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let opened = 0;
  const loop = createLinkLoop({
    clock,
    random: createSeededRandom(),
    link: {
      ...createMemoryCloud({ clock }).device('token'),
      async listen(socket, signal) {
        opened += 1;
        socket.onMessage(WELCOME);
        await clock.sleep(standsMs, signal);
        return end;
      },
    },
    board: createBoard({ clock }),
    playerVersion: '1.0.0',
    bootId: 'boot-1',
    onMessage: () => {},
    onNoSocket: () => {},
    onUnpaired: () => {},
    log: createQuietLog(),
  });
  void loop.run(stop.signal);
  await clock.advance(HOUR_MS);
  return opened;
}

test('a cloud that greets and closes at once is called less and less often', async () => {
  expect(await openedInAnHour(0, { kind: 'closed', code: 1013, welcomed: true })).toBeLessThan(180);
});

test('a socket that has stood for minutes is there again within seconds', async () => {
  expect(await openedInAnHour(120_000, { kind: 'closed', code: 1006, welcomed: true })).toBeGreaterThan(28);
});

test('two players with one token do not push each other out all the time', async () => {
  expect(
    await openedInAnHour(100, { kind: 'closed', code: SOCKET_CLOSE.replaced, welcomed: true }),
  ).toBeLessThan(180);
});

test('a player whose socket another one takes says so, until it has been alone for five minutes', async () => {
  const clock = createManualClock();
  const board = createBoard({ clock });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  let others = 3;
  const loop = createLinkLoop({
    clock,
    random: createSeededRandom(),
    link: {
      ...createMemoryCloud({ clock }).device('token'),
      async listen(socket, signal) {
        socket.onMessage(WELCOME);
        await clock.sleep(others-- > 0 ? 20_000 : HOUR_MS, signal);
        return { kind: 'closed', code: SOCKET_CLOSE.replaced, welcomed: true };
      },
    },
    board,
    playerVersion: '1.0.0',
    bootId: 'boot-1',
    onMessage: () => {},
    onNoSocket: () => {},
    onUnpaired: () => {},
    log: createQuietLog(),
  });
  void loop.run(stop.signal);
  const told = () => board.faults().map(({ code }) => code);
  expect(told()).toEqual([]);
  await clock.advanceUntil(() => told().includes('identity.shared'), 30_000);
  // Three times, with half a minute or more between them.
  await clock.advanceUntil(() => others < 0, 300_000);
  await clock.advance(240_000);
  expect(told()).toEqual(['identity.shared']);
  await clock.advance(61_000);
  expect(told()).toEqual([]);
});

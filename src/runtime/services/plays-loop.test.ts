import { MAX_PLAYS_PER_REQUEST, type Play } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { draftOf } from '../../../test/support/playback-machine.ts';
import { createSeededRandom } from '../../../test/support/player-box.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { createBell } from '../bell.ts';
import { createBoard } from '../board.ts';
import { createPlaysLoop } from './plays-loop.ts';

const MINUTE_MS = 60_000;
const REFUSED = { kind: 'refused' as const, status: 400, code: 'VALIDATION_ERROR' };
const idOf = (n: number) => `play_${String(n).padStart(4, '0')}`;

/** `count` plays to tell, to a cloud that refuses every request with one in it that it does not like. */
function playsToTell(count: number, refuses = (_play: Play) => false) {
  const clock = createManualClock();
  const store = createMemoryStore();
  const log = createQuietLog();
  const board = createBoard({ clock });
  const cloud = {
    refuses,
    taken: [] as string[],
    requests: 0,
  };
  let made = 0;
  const play = (many: number) => {
    for (const end = made + many; made < end; made++) {
      const endedAtMs = clock.wall() + made;
      const end = { endedAtMs, durationMs: 1, outcome: 'completed' as const, reason: null };
      store.playEnded(draftOf(idOf(made), 'a'), endedAtMs - 1, end, null);
    }
  };
  play(count);
  const loop = createPlaysLoop({
    clock,
    store,
    board,
    log,
    random: createSeededRandom(),
    bell: createBell(clock),
    onUnpaired: () => {},
    link: {
      ...createMemoryCloud({ clock }).device('token'),
      async plays(plays) {
        cloud.requests += 1;
        if (plays.some(cloud.refuses)) return REFUSED;
        cloud.taken.push(...plays.map(({ id }) => id));
        return { kind: 'ok', answer: { accepted: plays.map(({ id }) => id), rejected: [] } };
      },
    },
  });
  const session = new AbortController();
  onTestFinished(() => session.abort());
  void loop.run(session.signal);
  const waiting = () => store.pendingPlays(10_000).map(({ id }) => id);
  return { clock, store, board, log, cloud, play, waiting };
}

const droppedBy = ({ log }: { log: ReturnType<typeof createQuietLog> }) =>
  log.events.flatMap(({ event, facts }) => (event === 'plays.dropped' ? [facts] : []));

test('a play for which the cloud refuses the whole request is found, counted and told; all others arrive', async () => {
  const bad = new Set([idOf(0), idOf(1), idOf(300), idOf(510)]);
  const house = playsToTell(MAX_PLAYS_PER_REQUEST + 20, ({ id }) => bad.has(id));
  await house.clock.advance(60 * MINUTE_MS);
  expect(house.waiting()).toEqual([]);
  expect(house.cloud.taken).toHaveLength(MAX_PLAYS_PER_REQUEST + 20 - bad.size);
  expect(new Set(house.cloud.taken).size).toBe(house.cloud.taken.length);
  expect(house.store.readDropped()).toMatchObject({ count: bad.size });
  expect(house.board.faults()).toMatchObject([{ code: 'plays.dropped', facts: { count: bad.size } }]);
  expect(droppedBy(house)).toEqual(
    [...bad].map((play) => ({ count: 1, reason: 'refused', play, status: 400, code: 'VALIDATION_ERROR' })),
  );
  // Afterwards they go in few requests again.
  const before = house.cloud.requests;
  house.play(MAX_PLAYS_PER_REQUEST);
  await house.clock.advance(MINUTE_MS);
  expect(house.waiting()).toEqual([]);
  expect(house.cloud.requests - before).toBeLessThanOrEqual(2);
});

test('a cloud that refuses everything loses nothing, is asked once in a while, and has it all when it is mended', async () => {
  const { clock, store, cloud, waiting, play } = playsToTell(40);
  await clock.advance(MINUTE_MS);
  cloud.refuses = () => true;
  for (let n = 0; n < 40; n++) {
    play(1);
    await clock.advance(MINUTE_MS);
  }
  const before = cloud.requests;
  await clock.advance(24 * 60 * MINUTE_MS);
  expect(cloud.requests - before).toBeLessThan(24 * 60 * 3);
  expect(waiting()).toHaveLength(40);
  cloud.refuses = () => false;
  await clock.advance(5 * MINUTE_MS);
  expect(waiting()).toEqual([]);
  expect(cloud.taken).toHaveLength(80);
  expect(store.readDropped()).toBe(null);
});

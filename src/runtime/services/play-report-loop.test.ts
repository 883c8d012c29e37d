import { MAX_PLAYS_PER_REQUEST } from '@placard/protocol';
import type { Play } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { createShowing } from '../../../test/support/playback-driver.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { createWakeup } from '../base/wakeup.ts';
import { createPlayerState } from '../base/player-state.ts';
import { createPlayReportLoop } from './play-report-loop.ts';

const MINUTE_MS = 60_000;
const REFUSED = { kind: 'refused' as const, status: 400, code: 'VALIDATION_ERROR' };
const idOf = (n: number) => `play_${String(n).padStart(4, '0')}`;

/** `count` pending plays, and a cloud that refuses every request that contains one of the bad plays. */
function setUpPlayReports(count: number, refuses = (_play: Play) => false) {
  const clock = createManualClock();
  const database = createMemoryDatabase();
  const log = createRecordingLog();
  const playerState = createPlayerState({ clock });
  const cloud = {
    refuses,
    taken: [] as string[],
    requests: 0,
  };
  let made = 0;
  const play = (many: number) => {
    for (const end = made + many; made < end; made++) {
      const endedAtMs = clock.wallMs() + made;
      const end = { endedAtMs, durationMs: 1, outcome: 'completed' as const, reason: null };
      database.savePlayEnd(createShowing(idOf(made), 'a'), endedAtMs - 1, end, null);
    }
  };
  play(count);
  const loop = createPlayReportLoop({
    clock,
    database,
    playerState,
    log,
    random: createSeededRandom(),
    wakeup: createWakeup(clock),
    onUnpaired: () => {},
    link: {
      ...createMemoryCloud({ clock }).createDeviceLink('token'),
      async sendPlays(plays) {
        cloud.requests += 1;
        if (plays.some(cloud.refuses)) {
          return REFUSED;
        }
        cloud.taken.push(...plays.map(({ id }) => id));
        return { kind: 'ok', response: { accepted: plays.map(({ id }) => id), rejected: [] } };
      },
    },
  });
  const session = new AbortController();
  onTestFinished(() => session.abort());
  void loop.run(session.signal);
  const waiting = () => database.readPendingPlays(10_000).map(({ id }) => id);
  return { clock, database, playerState, log, cloud, play, waiting };
}

const droppedBy = ({ log }: { log: ReturnType<typeof createRecordingLog> }) =>
  log.events.flatMap(({ event, details }) => (event === 'plays.dropped' ? [details] : []));

test('a play that makes the cloud refuse its whole request is isolated, dropped and reported; all others arrive', async () => {
  const bad = new Set([idOf(0), idOf(1), idOf(300), idOf(510)]);
  const setup = setUpPlayReports(MAX_PLAYS_PER_REQUEST + 20, ({ id }) => bad.has(id));
  await setup.clock.advance(60 * MINUTE_MS);
  expect(setup.waiting()).toEqual([]);
  expect(setup.cloud.taken).toHaveLength(MAX_PLAYS_PER_REQUEST + 20 - bad.size);
  expect(new Set(setup.cloud.taken).size).toBe(setup.cloud.taken.length);
  expect(setup.database.readDroppedPlays()).toMatchObject({ count: bad.size });
  expect(setup.playerState.faults()).toMatchObject([{ code: 'plays.dropped', facts: { count: bad.size } }]);
  expect(droppedBy(setup)).toEqual(
    [...bad].map((play) => ({ count: 1, reason: 'refused', play, status: 400, code: 'VALIDATION_ERROR' })),
  );
  // Afterwards batches are large again.
  const before = setup.cloud.requests;
  setup.play(MAX_PLAYS_PER_REQUEST);
  await setup.clock.advance(MINUTE_MS);
  expect(setup.waiting()).toEqual([]);
  expect(setup.cloud.requests - before).toBeLessThanOrEqual(2);
});

test('a cloud that refuses everything is retried with backoff, and gets all plays once it recovers', async () => {
  const { clock, database, cloud, waiting, play } = setUpPlayReports(40);
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
  expect(database.readDroppedPlays()).toBe(null);
});

import { EventEmitter } from 'node:events';
import { createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import type { Row } from '../database/schema.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { createEventStreams } from './event-streams.ts';

const TEXT = 'x'.repeat(10_000);

/** Streams of a real database to real connections; `change` changes the events that they read. */
async function setUp(change = (event: Row<'events'>) => event) {
  let made = 0;
  const database = await openTestDatabase({
    newId: (kind) => `${kind}_${++made}`,
    publish: (events) => events.some(({ type }) => type === 'events_recorded') && streams.wake(),
  });
  const failures: unknown[] = [];
  const streams = createEventStreams({
    database: {
      ...database,
      events: {
        ...database.events,
        read: async (numbers) => (await database.events.read(numbers)).map(change),
      },
    },
    clock: createManualClock(),
    log: { error: (failure: unknown) => void failures.push(failure) },
  });
  onTestFinished(() => expect(failures).toEqual([]));
  const responses: ServerResponse[] = [];
  const server = createServer((request, response) => {
    responses.push(response);
    const [, after, type] = request.url?.split('/') ?? [];
    streams.open(response, {
      owner: { id: 'key_1', userId: null },
      after: Number(after),
      cursor: null,
      filter: type === undefined ? {} : { types: [type] },
      headers: [],
    });
  });
  const port = await new Promise<number>((done) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      done(typeof address === 'object' ? (address?.port ?? 0) : 0);
    });
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    database,
    failures,
    responses,
    streams,
    open: (path: string | number = 0) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get(`http://127.0.0.1:${port}/${path}`, resolve).on('error', reject);
      }),
    record: (count: number, text = '') =>
      database.transaction(async (tx) => {
        for (let n = 0; n < count; n++) {
          tx.recordEvent({ type: 'device.online', resource: 'dev_1', data: { text } });
        }
      }),
  };
}

/** Ids of the events that were received. */
function readIds(response: IncomingMessage): string[] {
  const ids: string[] = [];
  let rest = '';
  response.setEncoding('utf8').on('data', (text: string) => {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    ids.push(...frames.flatMap((frame) => /^id: (.*)$/m.exec(frame)?.[1] ?? []));
  });
  return ids;
}

const eventIds = (count: number) => Array.from({ length: count }, (_, n) => `event_${n + 1}`);

test('many streams get what is recorded while they catch up, in order and once', async () => {
  const { open, record } = await setUp();
  await record(250);
  const received: string[][] = [];
  const recording = (async () => {
    for (let n = 0; n < 20; n++) {
      await record(7);
    }
  })();
  for (let n = 0; n < 10; n++) {
    received.push(readIds(await open()));
  }
  await recording;
  await eventually(() => expect(received.every((ids) => ids.length >= 390)).toBe(true));
  for (const ids of received) {
    expect(ids).toEqual(eventIds(390));
  }
});

test('a client that does not read costs little, and gets the rest when it reads', async () => {
  const { open, record, responses } = await setUp();
  const fast = readIds(await open());
  const slow = await open();
  slow.pause();
  for (let n = 0; n < 15; n++) {
    await record(100, TEXT);
  }
  await eventually(() => expect(fast).toHaveLength(1_500));
  expect(responses[1]?.writableLength).toBeLessThan(100_000 + 65_536);
  expect(readIds(slow)).toEqual([]);
  const ids = readIds(slow);
  slow.resume();
  await eventually(() => expect(ids).toHaveLength(1_500));
  expect(ids).toEqual(eventIds(1_500));
});

test('a stream whose next events were deleted ends, so that its client is told', async () => {
  const { open, record, database } = await setUp();
  await record(10);
  while (await database.events.deleteBatch(Number.MAX_SAFE_INTEGER)) {}
  const response = await open(3);
  const ids = readIds(response);
  await new Promise((done) => response.on('end', done));
  expect(ids).toEqual([]);
});

test('when an event cannot be sent, streams that want it end; the others get what follows it', async () => {
  let isBroken = false;
  const { open, database, failures } = await setUp((event) =>
    isBroken && event.type === 'device.online' ? { ...event, created_at: NaN } : event,
  );
  const recordBoth = () =>
    database.transaction(async (tx) => {
      tx.recordEvent({ type: 'device.online', resource: 'dev_1', data: {} });
      tx.recordEvent({ type: 'device.offline', resource: 'dev_1', data: {} });
    });
  const response = await open();
  const ended = new Promise((done) => response.on('end', done));
  const all = readIds(response);
  const some = readIds(await open('0/device.offline'));
  await recordBoth();
  await eventually(() => expect([all, some]).toEqual([['event_1', 'event_2'], ['event_2']]));
  isBroken = true;
  await recordBoth();
  await ended;
  await eventually(() => expect(some).toEqual(['event_2', 'event_4']));
  expect(all).toEqual(['event_1', 'event_2']);
  expect(failures.splice(0)).not.toEqual([]);
});

/** The most that `count` grows by in one turn of the event loop, until it has reached `end`. */
async function mostInOneTurn(count: () => number, end: number): Promise<number> {
  let most = 0;
  for (let before = count(); before < end; before = count()) {
    await setImmediate();
    most = Math.max(most, count() - before);
  }
  return most;
}

test('an event goes to some of the streams in one turn of the event loop, and so do signs of life', async () => {
  const { streams, record } = await setUp();
  const sent = { events: 0, ends: 0 };
  for (let n = 0; n < 2_000; n++) {
    const response = Object.assign(new EventEmitter(), {
      writableLength: 0,
      writeHead: () => {},
      flushHeaders: () => {},
      write: (text: string) => void (sent.events += text.includes('event: ') ? 1 : 0),
      end: () => void (sent.ends += 1),
    });
    // Only this is used of it.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    streams.open(response as unknown as ServerResponse, {
      owner: { id: `key_${n}`, userId: null },
      after: 0,
      cursor: null,
      filter: {},
      headers: [],
    });
  }
  await record(1);
  // Each has caught up by itself.
  await eventually(() => expect(sent.events).toBe(2_000));
  await record(1);
  expect(await mostInOneTurn(() => sent.events, 4_000)).toBeLessThan(500);
  // There are no such keys any more.
  const kept = streams.keepAlive();
  expect(await mostInOneTurn(() => sent.ends, 2_000)).toBeLessThan(200);
  await kept;
  expect([sent.events, streams.count()]).toEqual([4_000, 0]);
});

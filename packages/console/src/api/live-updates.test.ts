import type { Event } from '@placard/client';
import { QueryClient } from '@tanstack/react-query';
import type { QueryKey } from '@tanstack/react-query';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { followEvents as FollowEvents } from './live-updates.ts';
import type { placard as Placard } from './placard.ts';

let followEvents: typeof FollowEvents;
let placard: typeof Placard;
beforeAll(async () => {
  // The client of the console is one of the address of its page.
  vi.stubGlobal('location', { origin: 'https://signage.example.com' });
  ({ placard } = await import('./placard.ts'));
  ({ followEvents } = await import('./live-updates.ts'));
  vi.unstubAllGlobals();
});
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const DEVICES: QueryKey = ['devices', {}, 0];

/** Follows events that the test sends; `readAtMs` is when the list of devices was read again. */
function follow() {
  const waiting: ((event: Event) => void)[] = [];
  async function* stream(): AsyncGenerator<Event, never> {
    for (;;) {
      yield await new Promise<Event>((resolve) => waiting.push(resolve));
    }
  }
  vi.spyOn(placard.events, 'stream').mockImplementation(stream);
  const readAtMs: number[] = [];
  const queries = new QueryClient();
  vi.spyOn(queries, 'invalidateQueries').mockImplementation(async (filters) => {
    const query = queries.getQueryCache().build(queries, { queryKey: DEVICES });
    if (filters?.predicate?.(query) === true) {
      readAtMs.push(performance.now());
    }
  });
  const controller = new AbortController();
  void followEvents(queries, controller.signal);
  return {
    readAtMs,
    end: () => controller.abort(),
    send: async (type: string) => {
      await vi.advanceTimersByTimeAsync(0);
      // What the page looks at.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      waiting.shift()!({ type, resource: 'dev_1' } as Event);
    },
  };
}

test('many changes together are read about once a second, and the last one within a second', async () => {
  const { send, readAtMs, end } = follow();
  const changes = 25;
  let lastMs = 0;
  for (let count = 0; count < changes; count += 1) {
    await send('device.updated');
    lastMs = performance.now();
    await vi.advanceTimersByTimeAsync(100);
  }
  await vi.advanceTimersByTimeAsync(10_000);
  end();
  const apartMs = readAtMs.slice(1).map((atMs, index) => atMs - readAtMs[index]!);
  expect(readAtMs.length).toBeGreaterThan(2);
  expect(Math.min(...apartMs)).toBeGreaterThanOrEqual(800);
  expect(readAtMs.at(-1)! - lastMs).toBeGreaterThanOrEqual(0);
  expect(readAtMs.at(-1)! - lastMs).toBeLessThanOrEqual(1000);
});

test('a single change is read soon, and what it does not concern is not', async () => {
  const { send, readAtMs, end } = follow();
  await vi.advanceTimersByTimeAsync(5000);
  await send('playlist.updated');
  await vi.advanceTimersByTimeAsync(5000);
  expect(readAtMs).toEqual([]);
  const sentMs = performance.now();
  await send('device.updated');
  await vi.advanceTimersByTimeAsync(5000);
  end();
  expect(readAtMs.map((atMs) => atMs - sentMs)).toEqual([100]);
});

import { PlacardError } from '@placard/client';
import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { isAffected, noteEvent } from './event-effects.ts';
import type { Changes } from './event-effects.ts';
import { placard } from './placard.ts';

/** The first event waits this long for others that come with it. */
const COLLECT_MS = 100;
/** Between two readings of one page: after a power cut a whole town comes back within a minute. */
const APART_MS = 800;
const AGAIN_MS = 5000;

/**
 * The last event before a page reads anything, so that no change is missed between reading and following; null when there is none yet.
 */
export const lastEventQuery = queryOptions({
  queryKey: ['last-event'],
  queryFn: async ({ signal }): Promise<string | null> => {
    const { meta } = await placard.events.list({ cursor: 'latest', limit: 1 }, { signal }).page();
    return meta.next_cursor ?? null;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

/**
 * Reads again what events say has changed, until the signal aborts: queries in view at once, others when they are looked at. However
 * many events come, each is read about once a second, and not before the reading before has ended.
 */
export async function followEvents(queries: QueryClient, signal: AbortSignal): Promise<void> {
  let changes: Changes = new Map();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReading = false;
  const wait = (delayMs: number): void => {
    timer ??= changes.size > 0 && !isReading && !signal.aborted ? setTimeout(read, delayMs) : undefined;
  };
  const read = (): void => {
    timer = undefined;
    isReading = true;
    const now = changes;
    changes = new Map();
    const startedMs = performance.now();
    const done = queries.invalidateQueries({ predicate: ({ queryKey }) => isAffected(now, queryKey) });
    void done.finally(() => {
      isReading = false;
      lastMs = startedMs;
      wait(Math.max(COLLECT_MS, startedMs + APART_MS - performance.now()));
    });
  };
  let lastMs = -APART_MS;
  let after = queries.getQueryData(lastEventQuery.queryKey);
  while (!signal.aborted) {
    try {
      for await (const event of placard.events.stream({ after, signal })) {
        noteEvent(changes, event);
        wait(Math.max(COLLECT_MS, lastMs + APART_MS - performance.now()));
      }
    } catch (error) {
      if (signal.aborted) {
        break;
      }
      after = undefined;
      // What was missed is unknown, so everything is read again. Without a session that leads to signing in.
      await queries.invalidateQueries();
      if (error instanceof PlacardError && error.status === 401) {
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
  clearTimeout(timer);
}

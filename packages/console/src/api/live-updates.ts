import type { Event } from '@placard/client';
import { PlacardError } from '@placard/client';
import type { QueryClient } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** The first part of the keys of the queries that are read again after an event of this kind. */
const AFFECTED: Readonly<Record<string, readonly string[]>> = {
  device: ['devices', 'device', 'timeline'],
  command: ['device'],
  content: ['content'],
  playlist: ['playlists', 'timeline'],
  schedule: ['schedules', 'timeline'],
};
/** Events that arrive together cause one request: after a power cut a whole town comes back at once. */
const COLLECT_MS = 250;
const AGAIN_MS = 5000;

/** Reads again what events say has changed, until the signal aborts. */
export async function followEvents(queries: QueryClient, signal: AbortSignal): Promise<void> {
  const waiting = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const refresh = (): void => {
    timer = undefined;
    for (const key of waiting) {
      void queries.invalidateQueries({ queryKey: [key] });
    }
    waiting.clear();
  };
  const note = (event: Event): void => {
    for (const key of AFFECTED[event.type.split('.')[0] ?? ''] ?? []) {
      waiting.add(key);
    }
    timer ??= waiting.size > 0 ? setTimeout(refresh, COLLECT_MS) : undefined;
  };
  while (!signal.aborted) {
    try {
      for await (const event of placard.events.stream({ signal })) {
        note(event);
      }
    } catch (error) {
      if (signal.aborted) {
        break;
      }
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

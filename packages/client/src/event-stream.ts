import { readEventStream } from './event-connection.ts';
import type { Event, Resources } from './resources.generated.ts';
import { PlacardError } from './placard-error.ts';
import type { Connection } from './request.ts';
import { backOff } from './retry.ts';
import { wait } from './wait.ts';

export interface EventStreamOptions {
  /**
   * The id of the last event that was processed: the stream continues after it. Null when there was none yet, as `next_cursor`
   * of `cursor=latest` says it: the stream begins with the first one. Default: what happens from now on.
   */
  after?: string | null | undefined;
  /** Begin with the first event at or after this instant, instead of `after`. */
  since?: string | undefined;
  /** Only these types; `device.*` is all that begin with `device.`. */
  types?: readonly string[] | undefined;
  /** Only events about the resource with this id. */
  resource?: string | undefined;
  /** Ends the stream, which then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
}

const LONGEST_RETRY_MS = 30_000;

/**
 * The events of a cloud, in order, each once. Reconnects by itself and continues after the last event; where streams do not
 * come through, such as behind some proxies, it reads the list. Throws when the cloud refuses: `EVENT_CURSOR_EXPIRED` says that
 * events may have been missed.
 */
export async function* streamEvents(
  connection: Connection,
  { list }: Pick<Resources['events'], 'list'>,
  { after, since, types, resource, signal }: EventStreamOptions = {},
): AsyncGenerator<Event, never> {
  const filter = { types: types?.join(','), resource };
  /** Where the stream continues; null: at the beginning of a log that was empty. */
  let cursor: string | null = after ?? null;
  const readList = async function* (from: { cursor?: string; since?: string }): AsyncGenerator<Event> {
    for await (const { data, meta } of list({ ...filter, ...from }, { signal }).pages()) {
      for (const event of data) {
        cursor = event.id;
        yield event;
      }
      cursor = meta.next_cursor ?? cursor;
    }
  };
  if (after === undefined && since !== undefined) {
    yield* readList({ since });
  } else if (after === undefined || after === 'latest') {
    const { meta } = await list({ cursor: 'latest', limit: 1 }, { signal }).page();
    cursor = meta.next_cursor ?? null;
  }
  let failures = 0;
  let retryMs = 0;
  for (;;) {
    let hasReceived = false;
    try {
      // Without an event to continue after, the log was empty: all that it has by now is new.
      if (cursor === null || failures > 0) {
        yield* readList(cursor === null ? {} : { cursor });
      }
      const parts = readEventStream(connection, {
        query: filter,
        lastEventId: cursor,
        signal,
        onReceived: () => void (hasReceived = true),
        onRetry: (ms) => void (retryMs = ms),
      });
      for await (const part of parts) {
        if ('cursor' in part) {
          ({ cursor } = part);
          continue;
        }
        const event: Event = JSON.parse(part.data);
        cursor = event.id;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted === true || !isTemporary(error)) {
        throw error;
      }
    }
    failures = hasReceived ? 0 : failures + 1;
    await wait(Math.max(retryMs, backOff(failures, Math.random(), LONGEST_RETRY_MS)), signal);
  }
}

/** No response, or one that says that a later attempt may succeed. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof PlacardError) || error.status === 0 || error.status === 429 || error.status >= 500;

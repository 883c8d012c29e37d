import { createParser } from 'eventsource-parser';
import type { EventSourceParser } from 'eventsource-parser';
import { PlacardError } from './placard-error.ts';
import type { Connection } from './request.ts';

/** The cloud sends a comment every 15 s; a line that brings nothing for longer is dead. */
const IDLE_MS = 45_000;
/** An event is far smaller; more does not come from a cloud. */
const MAX_EVENT_CHARACTERS = 4_000_000;
const MAX_RETRY_MS = 30_000;
const EVENT_ID = /^evt_[0-9a-z]{26}$/;

export interface EventStreamRequest {
  query: Readonly<Record<string, unknown>>;
  /** The event after which the stream begins; null: with what happens next. */
  lastEventId: string | null;
  signal: AbortSignal | undefined;
  /** Called for everything that arrives, comments too. */
  onReceived: () => void;
  /** Called when the cloud says how long to wait before the next connection. */
  onRetry: (ms: number) => void;
}

/** An event as JSON, or the cursor of the place that the stream has reached without sending one. */
export type EventStreamPart = { data: string } | { cursor: string };

/** What arrives on one connection, in its order. Ends with the connection, or throws. */
export async function* readEventStream(
  connection: Connection,
  { query, lastEventId, signal, onReceived, onRetry }: EventStreamRequest,
): AsyncGenerator<EventStreamPart> {
  const end = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => end.abort(), IDLE_MS);
  };
  try {
    const response = await connection.open('GET /v1/events', {
      query,
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId !== null && { 'last-event-id': lastEventId }),
      },
      signal: signal ? AbortSignal.any([signal, end.signal]) : end.signal,
      retries: 0,
    });
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
      throw new PlacardError({
        code: 'INVALID_RESPONSE',
        status: 0,
        message: 'The response of GET /v1/events is not a stream of events.',
      });
    }
    watch();
    const observed = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        watch();
        onReceived();
        controller.enqueue(chunk);
      },
    });
    const reader = response.body
      .pipeThrough(observed)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(parseEventStream(onRetry))
      .getReader();
    // Not every browser can walk through a stream with `for await`.
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield part.value;
    }
  } finally {
    clearTimeout(timer);
    end.abort();
  }
}

/** Cursors must not overtake the events before them, so both are chunks of one stream. */
function parseEventStream(onRetry: (ms: number) => void): TransformStream<string, EventStreamPart> {
  let parser: EventSourceParser;
  return new TransformStream({
    start(controller) {
      parser = createParser({
        onEvent: ({ data }) => controller.enqueue({ data }),
        // The parser passes over an `id` without data, so the cloud also sends it as a comment.
        onComment: (text) => EVENT_ID.test(text) && controller.enqueue({ cursor: text }),
        onRetry: (ms) => onRetry(Math.min(ms, MAX_RETRY_MS)),
        onError: (error) => controller.error(error),
        maxBufferSize: MAX_EVENT_CHARACTERS,
      });
    },
    transform: (text) => parser.feed(text),
  });
}

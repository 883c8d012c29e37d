import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';
import type { Clock } from '../domain/clock.ts';
import { ApiError } from '../domain/api-error.ts';
import { eventJson } from '../domain/events.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { closeEvenly } from '../event-loop/close-evenly.ts';
import { nextEventLoopTurn } from '../event-loop/next-turn.ts';
import { isWanted, readEvents } from './read-events.ts';
import type { EventFilter } from './read-events.ts';

const MAX_STREAMS = 5_000;
const MAX_STREAMS_PER_KEY = 1_000;
/** Events read at once. */
const PART = 100;
/** Events sent to streams in one turn of the event loop: each takes 8 µs. */
const SENT_PER_TURN = 250;
/** Streams that are looked after in one turn: what an owner may see takes a read or two. */
const KEPT_ALIVE_PER_TURN = 100;
/** A stream with more bytes waiting to be sent gets no more until they are. */
const MAX_UNSENT_BYTES = 65_536;
const RETRY_MS = 2_000;
/** Other nodes are there: a client that was told to go comes back at once. */
const DRAINED_RETRY_MS = 500;

/** The key, or the session of a person. */
interface StreamOwner {
  id: string;
  /** Id of the person; null for a key. */
  userId: string | null;
}

/** What the owner of streams may see now; streams of one session may be of before and after a change. */
interface Rights {
  stores: readonly string[] | null;
}

interface Stream {
  response: ServerResponse;
  owner: StreamOwner;
  filter: EventFilter;
  /** The number of the last event that was sent, or passed over. */
  seq: number;
  /** Its id; null when it is no longer kept. */
  cursor: string | null;
  /** The client was told of `cursor`. */
  isCursorSent: boolean;
  /** Reads events from the log that the others were sent before, or waits for its client to read. */
  isBehind: boolean;
}

export interface StreamRequest {
  owner: StreamOwner;
  /** The number of the event after which the stream begins. */
  after: number;
  /** The cursor of that place; null when its event is no longer kept. */
  cursor: string | null;
  filter: EventFilter;
  /** Names and values of further headers of the response, one after the other. */
  headers: readonly OutgoingHttpHeader[];
}

export interface EventStreams {
  /**
   * Sends the events after that number as Server-Sent Events, until the client, the key or this node is gone. Throws when
   * there are too many streams; then nothing was sent.
   */
  open(response: ServerResponse, request: StreamRequest): void;
  /** Sends what was recorded since the last time; called when events were recorded, and at intervals. */
  wake(): void;
  /** Sends a comment or the place in the log, so that neither side takes the connection for dead; ends the streams of keys and sessions that are gone. */
  keepAlive(): Promise<void>;
  /** How many are open. */
  count: () => number;
  /** Ends the streams evenly over `ms`. */
  drain(ms: number, signal: AbortSignal): Promise<void>;
}

export interface EventStreamsDeps {
  database: Pick<CloudDatabase, 'events' | 'devices' | 'apiKeys' | 'sessions' | 'users'>;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}

/**
 * Streams of events. New events are read once for all streams; a stream that begins in the past, or whose client is slow,
 * reads on its own until it has caught up.
 */
export function createEventStreams({ database, clock, log }: EventStreamsDeps): EventStreams {
  const streams = new Map<ServerResponse, Stream>();
  /** The number of the newest event that was sent to those that are not behind; null while there is none. */
  let sentUntil: number | null = null;
  let sending: Promise<void> | null = null;
  let isWakeNeeded = false;
  let isDraining = false;

  const end = (stream: Stream, retryMs: number): void => {
    streams.delete(stream.response);
    stream.response.end(`${placeOf(stream)}retry: ${retryMs}\n\n`);
  };

  const onFailure = (error: unknown): void => {
    // A failure of the storage is logged once, where it begins.
    if (storageFailureOf(error) === null) {
      log.error({ err: error }, 'events.stream_failed');
    }
  };

  /** Sends an event; the stream is behind when its client does not read fast enough. */
  const send = (stream: Stream, event: Row<'events'>, frame: () => string): void => {
    if (event.seq <= stream.seq) {
      return;
    }
    const text = isWanted(event, stream.filter) ? frame() : null;
    stream.seq = event.seq;
    stream.cursor = event.id;
    stream.isCursorSent = text !== null;
    if (text === null) {
      return;
    }
    stream.response.write(text);
    if (stream.response.writableLength > MAX_UNSENT_BYTES) {
      stream.isBehind = true;
      stream.response.once('drain', () => void catchUp(stream));
    }
  };

  /** Sends what the log has after the last event of this stream. */
  const catchUp = async (stream: Stream): Promise<void> => {
    stream.isBehind = true;
    try {
      while (streams.has(stream.response)) {
        await nextEventLoopTurn();
        const oldest = await database.events.oldest();
        if (oldest && oldest.seq > stream.seq + 1) {
          // Its next events are no longer kept: the next request is told so.
          return end(stream, RETRY_MS);
        }
        const part = await readEvents(database, stream.seq, PART, stream.filter);
        stream.isBehind = false;
        for (const event of part.events) {
          send(stream, event, () => frameOf(event));
          if (stream.isBehind) {
            return;
          }
        }
        if (part.readUntil && part.readUntil.seq > stream.seq) {
          stream.seq = part.readUntil.seq;
          stream.cursor = part.readUntil.id;
          stream.isCursorSent = false;
        }
        if (!part.hasMore) {
          sentUntil ??= stream.seq;
          if (stream.seq >= sentUntil) {
            return;
          }
        }
        stream.isBehind = true;
      }
    } catch (error) {
      onFailure(error);
      // The client continues where it was.
      end(stream, RETRY_MS);
    }
  };

  /** Sends the events to the streams that are not behind. */
  const sendToAll = async (events: readonly Row<'events'>[]): Promise<void> => {
    const framed = events.map((event) => ({ event, frame: once(() => frameOf(event)) }));
    let sent = 0;
    for (const stream of streams.values()) {
      if (stream.isBehind) {
        continue;
      }
      if (stream.filter.stores) {
        // What they may see takes looking up their devices.
        void catchUp(stream);
        continue;
      }
      try {
        for (const { event, frame } of framed) {
          if (!stream.isBehind) {
            send(stream, event, frame);
          }
        }
      } catch {
        // It reads the event again; when that cannot be sent then either, the stream ends.
        void catchUp(stream);
      }
      sent += events.length;
      if (sent >= SENT_PER_TURN) {
        sent = 0;
        await setImmediate();
      }
    }
  };

  /** Sends new events to the streams that are not behind. */
  const sendNew = async (): Promise<void> => {
    do {
      isWakeNeeded = false;
      for (let hasMore = true; hasMore && sentUntil !== null;) {
        const part = await readEvents(database, sentUntil, PART);
        // Before any is sent: whoever catches up meanwhile reads up to here.
        sentUntil = streams.size === 0 ? null : (part.readUntil?.seq ?? sentUntil);
        await sendToAll(part.events);
        hasMore = part.hasMore;
        await nextEventLoopTurn();
      }
    } while (isWakeNeeded);
  };

  return {
    open(response, { owner, after, cursor, filter, headers }) {
      requireWithinLimit(owner.id);
      // With `setHeader` the response would keep them.
      response.writeHead(200, [
        ...headers,
        'content-type',
        'text/event-stream; charset=utf-8',
        // nginx would collect the events.
        'x-accel-buffering',
        'no',
      ]);
      // Node joins the head from some sixty strings and keeps them all; sent by itself it becomes one: a kilobyte less for each stream.
      response.flushHeaders();
      const stream: Stream = {
        response,
        owner,
        filter,
        seq: after,
        cursor,
        isCursorSent: false,
        isBehind: true,
      };
      response.write(`${placeOf(stream)}retry: ${RETRY_MS}\n\n`);
      streams.set(response, stream);
      response.on('close', onClose);
      void catchUp(stream);
    },
    wake() {
      if (streams.size === 0) {
        return;
      }
      isWakeNeeded = true;
      sending ??= sendNew()
        .catch(onFailure)
        .finally(() => (sending = null));
    },
    async keepAlive() {
      const rights = new Map<string, Rights | null>();
      let count = 0;
      for (const stream of streams.values()) {
        let found = rights.get(stream.owner.id);
        if (found === undefined) {
          found = await findRights(stream.owner);
          rights.set(stream.owner.id, found);
          if (!streams.has(stream.response)) {
            continue;
          }
        }
        // For other stores the next request is answered.
        if (found === null || !isSameSet(found.stores, stream.filter.stores)) {
          end(stream, RETRY_MS);
        } else if (stream.response.writableLength === 0) {
          stream.response.write(`${placeOf(stream) || ':\n'}\n`);
        }
        count += 1;
        if (count % KEPT_ALIVE_PER_TURN === 0) {
          await setImmediate();
        }
      }
    },
    count: () => streams.size,
    drain(ms, signal) {
      isDraining = true;
      return closeEvenly(streams.values(), (stream) => end(stream, DRAINED_RETRY_MS), ms, signal);
    },
  };

  // One function for all streams: a closure of each, which `once` wraps in another, is 270 bytes.
  function onClose(this: ServerResponse): void {
    streams.delete(this);
    if (streams.size === 0) {
      sentUntil = null;
    }
  }

  /** Null when key or session are gone. */
  async function findRights({ id, userId }: StreamOwner): Promise<Rights | null> {
    if (userId !== null) {
      const user = await database.users.find(userId);
      return user && (await database.sessions.isLive(id, clock.nowMs())) ? { stores: user.stores } : null;
    }
    const key = await database.apiKeys.find(id);
    return key && (key.expires_at ?? Infinity) > clock.nowMs() ? { stores: null } : null;
  }

  function requireWithinLimit(ownerId: string): void {
    if (isDraining || streams.size >= MAX_STREAMS) {
      throw new ApiError('UNAVAILABLE', 'This node takes no more event streams at the moment; try again.', {
        details: { reason: 'too_many_streams', limit: MAX_STREAMS },
        headers: { 'retry-after': '5' },
      });
    }
    const ofKey = [...streams.values()].filter((stream) => stream.owner.id === ownerId).length;
    if (ofKey >= MAX_STREAMS_PER_KEY) {
      throw new ApiError(
        'RATE_LIMITED',
        `This key already has ${MAX_STREAMS_PER_KEY} event streams; close some.`,
        {
          details: { reason: 'too_many_at_once', limit: MAX_STREAMS_PER_KEY },
          headers: { 'retry-after': '5' },
        },
      );
    }
  }
}

const isSameSet = (
  some: readonly string[] | null | undefined,
  others: readonly string[] | null | undefined,
): boolean => some?.toSorted().join() === others?.toSorted().join();

/**
 * Lines that tell the client where the stream is, as far as it does not know; empty when it does. Browsers keep the `id` of a
 * block without data. Many other clients pass over such blocks, but can read comments.
 */
function placeOf(stream: Stream): string {
  if (stream.isCursorSent || stream.cursor === null) {
    return '';
  }
  stream.isCursorSent = true;
  return `: ${stream.cursor}\nid: ${stream.cursor}\n`;
}

const frameOf = (event: Row<'events'>): string =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${eventJson(event)}\n\n`;

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

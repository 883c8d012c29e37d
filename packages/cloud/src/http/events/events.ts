import { eventOperations as operations } from '@placard/protocol/api';
import type { Event } from '@placard/protocol/api';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { eventJson } from '../../domain/events.ts';
import { LOG_START, readEvents } from '../../events/read-events.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';

const STREAM_TYPE = 'text/event-stream';
const EVENT_ID = /^evt_[0-9a-z]{26}$/;

/** Where a client begins to read. */
export interface EventStart {
  cursor?: string | undefined;
  since?: string | undefined;
}

export function eventRoutes({ database, eventStreams }: HttpDeps): Route[] {
  return [
    route(operations.listEvents, async ({ query, actor, request, reply }) => {
      const { cursor, since, types, resource, limit } = query;
      const filter = { types: types?.split(','), resource, stores: actor?.stores };
      if (request.method === 'GET' && request.headers.accept?.includes(STREAM_TYPE) === true) {
        const lastId = request.headers['last-event-id'];
        if (typeof lastId === 'string' && lastId !== '' && !EVENT_ID.test(lastId)) {
          throw validationError([{ path: 'last-event-id', message: 'must be the id of an event' }]);
        }
        const after = await findStart(
          database,
          lastId ? { cursor: String(lastId) } : { cursor, since },
          'latest',
        );
        eventStreams.open(reply.raw, {
          owner: { id: actor?.session?.id ?? actor?.id ?? '', userId: actor?.session ? actor.id : null },
          after,
          cursor: await cursorAt(database, after),
          filter,
          // What the hooks have set: the id of the request, limits and CORS.
          headers: Object.entries(reply.getHeaders()).flatMap(([name, value]) =>
            value === undefined ? [] : [name, value],
          ),
        });
        return { isSent: true };
      }
      const after = await findStart(database, { cursor, since }, 'oldest');
      const { events, readUntil, hasMore } = await readEvents(database, after, limit, filter);
      return {
        data: events.map((event): Event => JSON.parse(eventJson(event))),
        meta: {
          limit,
          next_cursor: readUntil?.id ?? (await cursorAt(database, after)),
          has_more: hasMore,
        },
      };
    }),
  ];
}

/** The number of the event after which the client begins. */
export async function findStart(
  { events }: Pick<Repositories, 'events'>,
  { cursor, since }: EventStart,
  otherwise: 'latest' | 'oldest',
): Promise<number> {
  const oldest = (await events.oldest())?.seq ?? 1;
  const newest = (await events.newest())?.seq ?? 0;
  if (since !== undefined) {
    const first = await events.firstSince(Date.parse(since));
    return first === undefined ? newest : first - 1;
  }
  if (cursor === undefined || cursor === 'latest') {
    return cursor === 'latest' || otherwise === 'latest' ? newest : oldest - 1;
  }
  const seq = cursor === LOG_START && oldest === 1 ? 0 : await events.findSeq(cursor);
  if (seq === undefined) {
    throw new ApiError(
      'EVENT_CURSOR_EXPIRED',
      'The event of this cursor is no longer kept, so events may have been missed. Read what you follow again, then ' +
        'continue with cursor=latest.',
    );
  }
  return seq;
}

/** The cursor of the place after the event with this number; null when that event is no longer kept. */
export async function cursorAt(
  { events }: Pick<Repositories, 'events'>,
  seq: number,
): Promise<string | null> {
  if (seq === 0) {
    return LOG_START;
  }
  const [at] = await events.read([seq]);
  return at?.id ?? null;
}

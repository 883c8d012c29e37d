import type { Repositories } from '../database/cloud-database.ts';
import type { EventHead } from '../database/events.ts';
import type { Row } from '../database/schema.ts';
import { isEventOfStores } from './events-of-stores.ts';

/** The cursor of the place before the first event of all: of a log that was still empty. */
export const LOG_START = `evt_${'0'.repeat(26)}`;
/** Events that are looked at, and bytes of data that are read, at once: other work waits as long. */
const MAX_HEADS = 1_000;
const MAX_BYTES = 2 ** 20;

/** Which events a client wants. */
export interface EventFilter {
  /** Types, or groups of them such as `device.*`; undefined for all. */
  types?: readonly string[] | undefined;
  /** Id of a resource. */
  resource?: string | undefined;
  /** Ids of the stores that the client is bound to; null for all. */
  stores?: readonly string[] | null | undefined;
}

export interface EventPart {
  events: Row<'events'>[];
  /** The number up to which the log was read, and the id of that event; null if there was none. */
  readUntil: { seq: number; id: string } | null;
  /** More events follow, which may be others than those that are wanted. */
  hasMore: boolean;
}

/** Whether the client wants the event. */
export const isWanted = (
  event: Pick<EventHead, 'type' | 'resource'>,
  { types, resource }: Pick<EventFilter, 'types' | 'resource'>,
): boolean =>
  (resource === undefined || event.resource === resource) &&
  (types === undefined || types.includes(event.type) || types.includes(`${event.type.split('.')[0]}.*`));

/** At most `limit` of the next events after that number. It may be fewer, or none, although more follow. */
export async function readEvents(
  { events: log, devices }: Pick<Repositories, 'events' | 'devices'>,
  after: number,
  limit: number,
  filter: EventFilter = {},
): Promise<EventPart> {
  // Without further events about the resource, the log has been read up to this one.
  const newest = filter.resource === undefined ? undefined : await log.newest();
  const heads = await log.headsAfter(after, MAX_HEADS, filter.resource);
  const wanted: number[] = [];
  let bytes = 0;
  let looked = 0;
  let previousOffset: number | null = null;
  for (const head of heads) {
    if (isWanted(head, filter)) {
      // Of events about one resource the data of those in between counts as well, which is of no matter.
      bytes += previousOffset === null ? 0 : head.end_offset - previousOffset;
      if (wanted.length === limit || (bytes > MAX_BYTES && wanted.length > 0)) {
        break;
      }
      wanted.push(head.seq);
    }
    previousOffset = head.end_offset;
    looked += 1;
  }
  const hasMore = looked < heads.length || heads.length === MAX_HEADS;
  const last = heads[looked - 1];
  const end = !hasMore && newest && newest.seq > Math.max(last?.seq ?? 0, after) ? newest : last;
  const events = await log.read(wanted);
  const { stores } = filter;
  const isSeen =
    stores && (await Promise.all(events.map((each) => isEventOfStores({ devices }, each, stores))));
  return {
    events: isSeen ? events.filter((_, index) => isSeen[index]) : events,
    readUntil: end ? { seq: end.seq, id: end.id } : null,
    hasMore,
  };
}

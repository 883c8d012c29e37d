import { z } from 'zod';
import { event, exampleEvent } from './event-schemas.ts';
import { eventType } from './event-types.ts';
import { queryInstant, queryInteger, reference } from './fields.ts';
import { operationsOf } from './operation.ts';

/** `latest`: after the newest event; otherwise the id of the last event that was read. */
export const eventCursor = z
  .string()
  .refine(
    (text) => text === 'latest' || /^evt_[0-9a-z]{26}$/.test(text),
    'must be `latest`, or the id of an event, which begins with evt_',
  )
  .meta({
    description: '`latest`, or the id of the last event that you have read',
    example: 'evt_01kzgm8q2c7d0vqk3m4a5b6c7d',
  });

const EVENT_NAMES: ReadonlySet<string> = new Set(eventType.options);
const GROUPS = [...new Set(eventType.options.map((type) => `${type.split('.')[0]}.*`))];

const isType = (type: string) => EVENT_NAMES.has(type) || GROUPS.includes(type);

const types = z
  .string()
  .max(1000)
  .refine(
    (text) => text.split(',').every((type) => isType(type)),
    `must be types of events, separated by commas: ${[...GROUPS, ...eventType.options].join(', ')}`,
  )
  .meta({
    description: 'Only these types, separated by commas; `device.*` is all that begin with `device.`',
    example: 'device.*,command.finished',
  });

const define = operationsOf('Events');

export const eventOperations = {
  listEvents: define('listEvents', 'GET', '/v1/events', {
    summary: 'What has happened, oldest first, or as it happens',
    description:
      'Events are numbered in the order in which changes were stored. They are kept for 7 days, and at most 1 GiB of them. ' +
      'To miss none, keep `meta.next_cursor` (or the `id` of the last event) together with what you did with it, and ask ' +
      'again with `cursor`; a page may be empty although `has_more` is true. Without `cursor` and `since` a list begins ' +
      'with the oldest event that is kept.\n\n' +
      '`resource` is the device of `device.*` and `command.*`, the asset of `content.*`, the playlist of `playlist.*` (also ' +
      'of a deployment), the schedule of `schedule.*`, the upload of `upload.*`, the operation of `operation.*`, ' +
      'the rollout of `rollout.*`, and the alert of `alert.*`.\n\n' +
      'With `Accept: text/event-stream` the response does not end: Server-Sent Events, with `id`, `event` (the type) and ' +
      '`data` (the event as JSON), beginning after `Last-Event-ID` or `cursor`, or at `since`; without one of them with ' +
      'what happens next. The first block, and every 15 seconds a comment, tell where the stream is, if it has moved since ' +
      'the last event that was sent: an `id` without data, and the same id in a comment. An `EventSource` keeps it by itself; ' +
      'it cannot send a key, so use `fetch` outside of the console. ' +
      'Reconnect when the stream ends, with the last `id`: nothing is lost and nothing comes twice. A key may ' +
      'have 1,000 streams per node.\n\n' +
      'A cursor whose event is no longer kept is 410 `EVENT_CURSOR_EXPIRED`: read the resources again, then begin with ' +
      '`latest`. At most 1,000 `device.now_playing` are recorded per device and day.',
    access: 'Read',
    query: z
      .strictObject({
        cursor: eventCursor.optional(),
        since: queryInstant.optional(),
        types: types.optional(),
        resource: reference.optional().meta({ description: 'Only events about the resource with this id' }),
        limit: queryInteger(1, 100).default(20),
      })
      .refine(({ cursor: after, since }) => after === undefined || since === undefined, {
        path: ['since'],
        message: 'cannot be sent together with cursor',
      }),
    data: z.array(event),
    list: 'cursor',
    streams: true,
    errors: ['EVENT_CURSOR_EXPIRED'],
    example: {
      data: [exampleEvent('device.offline'), exampleEvent('device.now_playing')],
    },
  }),
};

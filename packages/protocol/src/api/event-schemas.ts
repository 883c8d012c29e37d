import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { exampleAlert } from './alerts.ts';
import { exampleOperation } from './bulk-operations.ts';
import { exampleAsset } from './content.ts';
import { exampleDevice } from './devices.ts';
import { eventType } from './event-types.ts';
import type { EventType } from './event-types.ts';
import { notifications } from './notifications.ts';
import { examplePlaylist } from './playlists.ts';
import { exampleRollout } from './rollouts.ts';
import { exampleSchedule } from './schedules.ts';
import { exampleUpload } from './uploads.ts';

/** What `resource` is the id of, and an example, by the part of a type before the dot. */
const RESOURCES: Readonly<Record<string, readonly [noun: string, example: string]>> = {
  device: ['device', exampleDevice.id],
  command: ['device that the command is for', exampleDevice.id],
  content: ['asset', exampleAsset.id],
  playlist: ['playlist', examplePlaylist.id],
  schedule: ['schedule', exampleSchedule.id],
  upload: ['upload', exampleUpload.id],
  operation: ['operation', exampleOperation.id],
  rollout: ['rollout', exampleRollout.id],
  alert: ['alert', exampleAlert.id],
};

const resourceOf = (type: EventType) => RESOURCES[type.split('.')[0] ?? ''] ?? [];

const common = {
  id: z.string().meta({ description: 'Also the cursor that continues after it' }),
  timestamp,
};

export const exampleEvent = (type: EventType) => ({
  id: 'evt_01kzgm8q2c7d0vqk3m4a5b6c7d',
  type,
  timestamp: '2026-11-20T08:00:00.000Z',
  resource: resourceOf(type)[1],
  data: notifications[type].example,
});

/** `device.now_playing` is the component `DeviceNowPlayingEvent`. */
const componentOf = (type: EventType): string =>
  `${type.replaceAll(/(?:^|[._])(.)/g, (_match, letter: string) => letter.toUpperCase())}Event`;

const defineEvent = (type: EventType) =>
  z
    .object({
      ...common,
      type: z.literal(type),
      resource: z.string().meta({ description: `Id of the ${resourceOf(type)[0]}` }),
      data: z.object(notifications[type].data),
    })
    .meta({
      id: componentOf(type),
      description: [notifications[type].summary, notifications[type].description].filter(Boolean).join('. '),
      example: exampleEvent(type),
    });

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has each type
const events = Object.fromEntries(eventType.options.map((type) => [type, defineEvent(type)])) as Record<
  EventType,
  ReturnType<typeof defineEvent>
>;

/** An event of this type, as in lists, streams and webhooks. Receivers ignore fields that they do not know. */
export const notificationOf = (type: EventType) => events[type];

/** Clients that are older than the cloud receive types that they do not know. */
const unknownEvent = z
  .object({
    ...common,
    type: z
      .string()
      .refine((type) => !(type in events))
      .meta({ not: { enum: eventType.options } }),
    resource: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({
    id: 'UnknownEvent',
    description: 'An event of a type that this version does not have: pass over it',
  });

export const event = z.union([...Object.values(events), unknownEvent]).meta({
  id: 'Event',
  description: '`type` says what `data` has. Newer versions have further types and fields: pass over those',
});
export type Event = z.infer<typeof event>;

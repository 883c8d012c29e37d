import { z } from 'zod';
import { DEFAULT_DISPLAY } from '../display-options.ts';
import { toWireDisplay, wireDisplay } from '../display.ts';
import { LIMITS } from '../limits.ts';
import { hardware } from '../player/hardware.ts';
import { heartbeatSample, reportedState, reportedFault } from '../player/heartbeat.ts';
import { screenshotIntervalOrNever } from '../player/screenshot.ts';
import { commandName, deviceType, orientation, timestamp } from '../primitives.ts';
import { command, exampleCommand } from './commands.ts';
import { decoders, exampleVideoCapability } from './decoders.ts';
import {
  deletionResult,
  exampleTimestamps,
  idParams,
  name,
  reference,
  search,
  tag as tagField,
  tags,
  timestamps,
} from './fields.ts';
import { listPaging, pageOrCursor, sortBy } from './lists.ts';
import { operationsOf } from './operation.ts';

export const deviceStatus = z.enum(['online', 'offline']);

export const device = z
  .object({
    id: z.string(),
    name: z.string(),
    status: deviceStatus,
    type: deviceType,
    platform: z.string(),
    store_id: z.string().nullable(),
    last_heartbeat: timestamp.nullable(),
    player_version: z.string(),
    tags: z.array(z.string()),
    orientation,
    ...timestamps,
  })
  .meta({ id: 'Device' });
export type Device = z.infer<typeof device>;

export const deviceDetail = device
  .extend({
    hardware: hardware.nullable(),
    decoders,
    current_playlist: z
      .object({
        id: z.string(),
        name: z.string().nullable(),
        schedule_id: z.string().nullable(),
        rule_id: z.string().nullable(),
        since: timestamp,
      })
      .nullable(),
    configuration: z.object({
      orientation,
      ...wireDisplay.shape,
      /** Whether the technician menu asks for a PIN; the PIN itself is never returned. */
      menu_pin_set: z.boolean(),
      screenshots_allowed: z.boolean().meta({
        description:
          'False: nobody can take a picture of this screen from afar. The organization may forbid it for all screens',
      }),
      screenshot_interval_minutes: screenshotIntervalOrNever.nullable().meta({
        description:
          'How often the screen sends a picture of its own accord; 0: never; null: as the organization says',
      }),
      timezone: z.string(),
      /** Seconds. */
      heartbeat_interval: z.int(),
      /** Revision of the target manifest. */
      manifest_revision: z.string(),
      /** Revision of the manifest that the device shows, as last reported. */
      applied_manifest_revision: z.string().nullable(),
    }),
    latest_heartbeat: heartbeatSample
      .nullable()
      .meta({ description: 'The sample with the latest `measured_at`, not the one that arrived last' }),
    clock_offset_ms: z.int().nullable().meta({
      description: 'Device clock minus cloud clock; samples delayed by the network do not change it',
    }),
    storage: reportedState.shape.storage.nullable(),
    /** Video frames since the page was loaded; null until the device reports them. */
    frames: reportedState.shape.frames.unwrap().nullable(),
    /** Version of the device's own time zone data, its fallback when the cloud sent none; null until it is reported. */
    tz_version: z.string().nullable(),
    faults: z.array(reportedFault),
  })
  .meta({ id: 'DeviceDetail' });
export type DeviceDetail = z.infer<typeof deviceDetail>;

/** Settings of a device that can be changed; given fields are replaced. */
const deviceConfigurationChange = z
  .strictObject({
    ...wireDisplay.partial().shape,
    /** PIN of the technician menu; null removes it. */
    menu_pin: z
      .string()
      .regex(/^[0-9]{4,8}$/, 'must be 4 to 8 digits')
      .nullable()
      .optional()
      .meta({ description: '4–8 digits that open the technician menu; null removes the PIN' }),
    screenshots_allowed: z
      .boolean()
      .optional()
      .meta({ description: 'False forbids screenshots of this device, and deletes the one that there is' }),
    screenshot_interval_minutes: screenshotIntervalOrNever.nullable().optional().meta({
      description:
        'Minutes between pictures that the screen sends of its own accord, 5 to 1440; 0: never; null: as the organization says',
    }),
  })
  .meta({ id: 'DeviceConfigurationChange' });

const DEVICE_LIMITS = `At most ${LIMITS.devices} devices with ${LIMITS.deviceTags} tags per organization; more is 400.`;

const define = operationsOf('Devices');
export const exampleDevice = {
  id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Counter left',
  status: 'online',
  type: 'media_player',
  platform: 'linux',
  store_id: null,
  last_heartbeat: '2026-11-20T08:00:00.000Z',
  player_version: '0.1.0',
  tags: ['counter'],
  orientation: 'landscape',
  ...exampleTimestamps,
};
export const exampleSample = {
  measured_at: '2026-11-20T08:00:00.000Z',
  cpu_percent: 12.5,
  memory_percent: 41,
  disk_percent: 20,
  temperature_celsius: null,
  wifi_signal_dbm: -54,
};
export const exampleDeviceDetail = {
  ...exampleDevice,
  hardware: { model: 'N100', cpu: { model: 'Intel N100', cores: 4 } },
  decoders: [exampleVideoCapability],
  current_playlist: {
    id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d',
    name: 'Morning',
    schedule_id: null,
    rule_id: null,
    since: '2026-11-20T08:00:00.000Z',
  },
  configuration: {
    orientation: 'landscape',
    ...toWireDisplay(DEFAULT_DISPLAY),
    menu_pin_set: false,
    screenshots_allowed: true,
    screenshot_interval_minutes: null,
    timezone: 'Europe/Berlin',
    heartbeat_interval: 60,
    manifest_revision: '1f0e5ac2d7b84c3a9e6f',
    applied_manifest_revision: '1f0e5ac2d7b84c3a9e6f',
  },
  latest_heartbeat: exampleSample,
  clock_offset_ms: 12,
  storage: { cache_bytes: 1_000_000, free_bytes: 20_000_000_000, assets_held: 3, assets_missing: 0 },
  frames: { drawn: 86_400, dropped: 12 },
  tz_version: '2026c',
  faults: [],
};

const storePlace = (what: string) =>
  search.optional().meta({
    description: `${what} of the store that the device is in, as it is written there; upper and lower case are the same`,
  });

export const deviceRevision = z
  .enum(['current', 'behind'])
  .meta({ description: 'Whether the device shows the manifest that it should, or another one or none' });

/** The filters of every list of devices. */
export const deviceFilters = {
  status: deviceStatus.optional(),
  store_id: reference.optional(),
  tag: tagField.optional(),
  search: search.optional(),
  player_version: reference.optional(),
  fault: reference.optional().meta({ description: 'Code of a fault that the device reports now' }),
  country: storePlace('Country'),
  region: storePlace('Region'),
  city: storePlace('City'),
};

const counted = z.int().min(0);

export const deviceCounts = z
  .object({
    total: counted,
    online: counted,
    offline: counted,
    /** Of those that are online. */
    behind: counted.meta({
      description:
        'Devices that are online and do not show the manifest that they should. Compared one by one, so it may be a minute old',
    }),
    faults: z.array(z.object({ code: z.string(), devices: counted })).meta({
      description: 'How many devices report each fault now; those of the most devices first, at most 100',
    }),
    player_versions: z.array(z.object({ player_version: z.string(), devices: counted })).meta({
      description:
        'How many devices have each version of the player; those of the most devices first, at most 100',
    }),
  })
  .meta({ id: 'DeviceCounts' });
export type DeviceCounts = z.infer<typeof deviceCounts>;

export const deviceOperations = {
  listDevices: define('listDevices', 'GET', '/v1/devices', {
    summary: 'List devices, newest first',
    description:
      'With `revision` the list always goes on by cursor, and an answer may have fewer devices than `limit`, or none, ' +
      'although `has_more` is true: the revisions of at most 5,000 devices are compared at once.',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        sort: sortBy('name', 'created_at', 'updated_at').optional(),
        ...deviceFilters,
        revision: deviceRevision.optional(),
      })
      .refine(...pageOrCursor),
    data: z.array(device),
    list: 'page or cursor',
    example: { data: [exampleDevice] },
  }),
  countDevices: define('countDevices', 'GET', '/v1/devices/counts', {
    summary: 'How many devices there are, by status, fault and version',
    access: 'Read',
    data: deviceCounts,
    example: {
      data: {
        total: 120,
        online: 117,
        offline: 3,
        behind: 1,
        faults: [{ code: 'disk.full', devices: 2 }],
        player_versions: [{ player_version: '1.4.0', devices: 120 }],
      },
    },
  }),
  pairDevice: define('pairDevice', 'POST', '/v1/devices/pair', {
    summary: 'Pair the device that shows this code',
    description:
      '404 `PAIRING_CODE_NOT_FOUND` has `details.reason` `wrong`, `used` or `expired`. After five wrong codes in a ' +
      'quarter of an hour the key may not pair for a quarter of an hour: 429 with `details.reason` `pairing_locked`. ' +
      DEVICE_LIMITS,
    access: 'Write',
    body: z.strictObject({
      /** As shown; case and dash do not matter. */
      code: z.string().min(1).max(50).meta({ example: 'BCD-FGH' }),
      name: name.optional(),
      store_id: reference.nullish(),
      tags: tags.optional(),
      orientation: orientation.optional(),
    }),
    status: 201,
    data: deviceDetail,
    errors: ['PAIRING_CODE_NOT_FOUND', 'STORE_NOT_FOUND'],
    example: { body: { code: 'BCD-FGH', name: 'Counter left' }, data: exampleDeviceDetail },
  }),
  getDevice: define('getDevice', 'GET', '/v1/devices/{id}', {
    otherStatuses: [304],
    summary: 'One device with hardware, current playlist and configuration',
    access: 'Read',
    params: idParams,
    data: deviceDetail,
    errors: ['DEVICE_NOT_FOUND'],
    example: { data: exampleDeviceDetail },
  }),
  updateDevice: define('updateDevice', 'PATCH', '/v1/devices/{id}', {
    summary: 'Change name, store, tags, orientation or display settings',
    description:
      'The given fields of `configuration` are replaced. `menu_pin` opens the technician menu on the screen; it is ' +
      `stored as a salted hash and cannot be read again. Null removes it. ${DEVICE_LIMITS}`,
    access: 'Write',
    params: idParams,
    body: z.strictObject({
      name: name.optional(),
      store_id: reference.nullish(),
      tags: tags.optional(),
      orientation: orientation.optional(),
      configuration: deviceConfigurationChange.optional(),
    }),
    data: deviceDetail,
    errors: ['PRECONDITION_FAILED', 'DEVICE_NOT_FOUND', 'STORE_NOT_FOUND'],
    example: {
      body: {
        orientation: 'portrait',
        configuration: {
          fit: 'contain',
          background: 'blurred',
          fade_ms: 400,
          language: 'de',
          menu_pin: '4711',
        },
      },
      data: {
        ...exampleDeviceDetail,
        orientation: 'portrait',
        configuration: {
          ...exampleDeviceDetail.configuration,
          orientation: 'portrait',
          background: 'blurred',
          ground: 'blurred',
          fade_ms: 400,
          language: 'de',
          menu_pin_set: true,
        },
      },
    },
  }),
  deleteDevice: define('deleteDevice', 'DELETE', '/v1/devices/{id}', {
    summary: 'Delete a device; it shows the pairing screen again',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['PRECONDITION_FAILED', 'DEVICE_NOT_FOUND'],
    example: { data: { id: exampleDevice.id, deleted: true } },
  }),
  sendCommand: define('sendCommand', 'POST', '/v1/devices/{id}/commands', {
    summary: 'Send a command to a device',
    description:
      '`REFRESH` fetches the manifest, verifies the stored media and reloads the page. `APP_RESTART` restarts the player. ' +
      '`REBOOT` reboots the device, at most once in 10 minutes. `UPDATE_CHECK` looks for a newer version of the player and ' +
      'installs it.\n\n' +
      `A device has at most ${LIMITS.openCommands} unfinished commands; more is 409 \`CONFLICT\` with ` +
      '`details.reason` `too_many_commands`. Finished commands are kept for a year, or as long as the audit log.',
    access: 'Write',
    params: idParams,
    body: z.strictObject({
      command: commandName,
      /** Seconds after which a command expires that the device has not acknowledged. */
      expires_in: z.int().min(1).max(604_800).default(600),
    }),
    status: 202,
    data: command,
    errors: ['DEVICE_NOT_FOUND'],
    example: { body: { command: 'REFRESH' }, data: exampleCommand },
  }),
};

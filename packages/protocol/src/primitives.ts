import { z } from 'zod';
import { ORIENTATIONS } from './display-options.ts';

/** ISO 8601 instant in UTC with milliseconds: `2026-11-20T11:10:34.123Z`. */
export const timestamp = z.iso.datetime({ offset: false }).max(40).meta({
  id: 'Timestamp',
  description: 'ISO 8601 instant in UTC',
  example: '2026-11-20T11:10:34.123Z',
});

/** An id made by the cloud, as it is on the player wire. */
export const wireId = z.string().max(100);

/** Of a manifest: its hash, and the ETag. */
export const revision = z.string().max(200);

/** Calendar date without a zone: `2026-11-20`. */
export const calendarDate = z.iso.date().meta({ description: 'Calendar date', example: '2026-11-20' });

/** Lower-case hexadecimal SHA-256 of a file's bytes; also the key of the file in every cache. */
export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
  .meta({ description: 'SHA-256 of the bytes, lower-case hexadecimal' });

export const assetType = z.enum(['image', 'video']);
export const playlistMode = z.enum(['sequential', 'shuffle', 'weighted']);
/** Clockwise rotation of the picture: 0°, 90°, 180°, 270°. */
export const orientation = z.enum(ORIENTATIONS);
export const dayCode = z.enum(['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']);
export const commandName = z.enum(['REFRESH', 'REBOOT', 'APP_RESTART', 'UPDATE_CHECK']);
/** What the cloud asks of a device besides the commands of customers. On the wire it is a command. */
export const deviceTaskName = z.enum(['SCREENSHOT', 'LOGS']);
export const deviceType = z.enum(['media_player', 'pi', 'pc', 'other']);

export type AssetType = z.infer<typeof assetType>;
export type PlaylistMode = z.infer<typeof playlistMode>;
export type Orientation = z.infer<typeof orientation>;
export type DayCode = z.infer<typeof dayCode>;
export type CommandName = z.infer<typeof commandName>;
export type DeviceTaskName = z.infer<typeof deviceTaskName>;
export type DeviceType = z.infer<typeof deviceType>;

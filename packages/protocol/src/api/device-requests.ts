import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { commandStatus } from './commands.ts';

/** How long a device may take to answer; it asks once a minute at least. */
export const DEVICE_REQUEST_EXPIRES_IN_SECONDS = 120;

/** What somebody has asked a device to send. */
export const deviceRequest = z.object({
  id: z.string(),
  device_id: z.string(),
  /** `succeeded`: the device has sent it. */
  status: commandStatus,
  created_at: timestamp,
  expires_at: timestamp,
  finished_at: timestamp.nullable(),
  /** Why it has failed, as the device says it. */
  problem: z.string().nullable(),
});
export type DeviceRequest = z.infer<typeof deviceRequest>;

export const exampleDeviceRequest = {
  id: 'cmd_01kzgm8q2c7d0vqk3m4a5b6c7d',
  device_id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
  status: 'queued',
  created_at: '2026-11-20T08:00:00.000Z',
  expires_at: '2026-11-20T08:02:00.000Z',
  finished_at: null,
  problem: null,
} satisfies DeviceRequest;

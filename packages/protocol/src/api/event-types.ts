import { z } from 'zod';
import { webhookEvent } from './webhooks.ts';

/** Types of events: those of webhooks, and those that are too many for them. */
export const eventType = z.enum([
  ...webhookEvent.options,
  'device.now_playing',
  'device.screenshot',
  'device.logs',
  'upload.progress',
  'operation.progress',
  'rollout.progress',
]);
export type EventType = z.infer<typeof eventType>;

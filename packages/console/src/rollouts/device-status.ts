import type { DeviceStatus } from './rollout-queries.ts';

/** What can become of a screen, in the order in which it is offered. */
export const DEVICE_STATUSES = [
  'failed',
  'told',
  'updated',
  'waiting',
  'removed',
] as const satisfies readonly DeviceStatus[];

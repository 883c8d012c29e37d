import { rolloutPosition } from '../update/feed.ts';
import { msUntilWindow } from '../update/maintenance-window.ts';

/** From 03:00 to 05:00 in the organization's time zone. */
const START_MINUTE = 3 * 60;
const END_MINUTE = 5 * 60;
/** The last device may start this long before the end. */
const LATEST_START_MARGIN_MINUTES = 30;

/**
 * Milliseconds until this device may reload its page, 0 while it may. The devices of a video wall do not reload at the
 * same time: each has its own offset, derived from its id.
 */
export const msUntilPageRefresh = (deviceId: string, timezone: string, wallMs: number): number =>
  msUntilWindow(
    { startMinute: START_MINUTE + refreshOffsetMinutes(deviceId), endMinute: END_MINUTE },
    timezone,
    wallMs,
  );

/** Minutes after the start, evenly spread over the devices. */
const refreshOffsetMinutes = (deviceId: string): number =>
  rolloutPosition(deviceId, 'page') * (END_MINUTE - START_MINUTE - LATEST_START_MARGIN_MINUTES);

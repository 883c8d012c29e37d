import { rolloutPosition } from '../update/feed.ts';
import { msUntilWindow } from '../update/window.ts';

/** Between three and five at night by the clock of the organization. */
const START_MINUTE = 3 * 60;
const END_MINUTE = 5 * 60;
/** The last screen begins this long before the end. */
const SLACK_MINUTES = 30;

/**
 * Milliseconds until this screen may load its page anew, 0 while it may. The screens of a wall share neither the
 * minute nor the second in which they do: each has its own place, by its id.
 */
export const msUntilRefresh = (deviceId: string, timezone: string, wallMs: number): number =>
  msUntilWindow({ startMinute: START_MINUTE + placeOf(deviceId), endMinute: END_MINUTE }, timezone, wallMs);

/** Minutes after the start, evenly spread. */
const placeOf = (deviceId: string): number =>
  rolloutPosition(deviceId, 'page') * (END_MINUTE - START_MINUTE - SLACK_MINUTES);

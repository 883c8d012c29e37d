/** The share of the fleet that is told in a minute, but one device at least. */
const SHARE_PER_MINUTE = 1 / 1000;
/** What was not told because the cloud was down is not made up for. */
const MAX_MINUTES = 2;
const MINUTE_MS = 60_000;

/**
 * How many devices of a fleet are due to be told, and up to which time some of them account for: what is left of a device is due with the
 * next.
 *
 * @param accountedMs up to which time those that were told account for; null: none was
 */
export function devicesDue(fleet: number, accountedMs: number | null, nowMs: number) {
  const perMinute = Math.max(1, fleet * SHARE_PER_MINUTE);
  const fromMs =
    accountedMs === null ? nowMs - MINUTE_MS : Math.max(accountedMs, nowMs - MAX_MINUTES * MINUTE_MS);
  return {
    count: Math.max(0, Math.floor(((nowMs - fromMs) * perMinute) / MINUTE_MS)),
    accountedAfter: (told: number): number => Math.round(fromMs + (told * MINUTE_MS) / perMinute),
  };
}

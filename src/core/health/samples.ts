import type { HeartbeatSample } from '@placard/protocol';
import type { Readings } from '../ports.ts';

/** A week of one sample a minute; beyond that the oldest half is thinned to every second one. */
export const MOST_SAMPLES = 10_080;

/** A reading in the shape of the wire: within its bounds, rounded to what is worth keeping, null when not finite. */
export function sampleOf(readings: Readings, atMs: number): HeartbeatSample {
  return {
    measured_at: new Date(atMs).toISOString(),
    cpu_percent: bounded(readings.cpu_percent, 0, 100),
    memory_percent: bounded(readings.memory_percent, 0, 100),
    disk_percent: bounded(readings.disk_percent, 0, 100),
    temperature_celsius: bounded(readings.temperature_celsius, -100, 250),
    wifi_signal_dbm: bounded(readings.wifi_signal_dbm, -200, 0),
    wifi_quality_percent: bounded(readings.wifi_quality_percent, 0, 100),
  };
}

const bounded = (value: number | null | undefined, low: number, high: number): number | null =>
  value === null || value === undefined || !Number.isFinite(value)
    ? null
    : Math.round(Math.min(high, Math.max(low, value)) * 10) / 10;

/** Which of these samples (oldest first) to drop, so that the buffer stays bounded and the newest stay whole. */
export function thin(measuredAt: readonly string[], most = MOST_SAMPLES): string[] {
  if (measuredAt.length <= most) return [];
  const older = measuredAt.slice(0, Math.ceil(measuredAt.length / 2));
  return older.filter((_, index) => index % 2 === 1);
}

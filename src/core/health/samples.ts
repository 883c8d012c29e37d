import type { HeartbeatSample } from '@placard/protocol';
import type { SensorReadings } from '../ports.ts';

/** A week of one sample a minute; above that every second sample of the older half is dropped. */
export const MAX_SAMPLES = 10_080;

/** A sample in the format of the wire: clamped, rounded to a useful precision, null when not finite. */
export function createSample(readings: SensorReadings, atMs: number): HeartbeatSample {
  return {
    measured_at: new Date(atMs).toISOString(),
    cpu_percent: clampAndRound(readings.cpu_percent, 0, 100),
    memory_percent: clampAndRound(readings.memory_percent, 0, 100),
    disk_percent: clampAndRound(readings.disk_percent, 0, 100),
    temperature_celsius: clampAndRound(readings.temperature_celsius, -100, 250),
    wifi_signal_dbm: clampAndRound(readings.wifi_signal_dbm, -200, 0),
    wifi_quality_percent: clampAndRound(readings.wifi_quality_percent, 0, 100),
  };
}

const clampAndRound = (value: number | null | undefined, low: number, high: number): number | null =>
  value === null || value === undefined || !Number.isFinite(value)
    ? null
    : Math.round(Math.min(high, Math.max(low, value)) * 10) / 10;

/** The samples (oldest first) to drop, so that the buffer stays bounded and the newest samples are complete. */
export function selectSamplesToDrop(measuredAt: readonly string[], maxCount = MAX_SAMPLES): string[] {
  if (measuredAt.length <= maxCount) {
    return [];
  }
  const older = measuredAt.slice(0, Math.ceil(measuredAt.length / 2));
  return older.filter((_, index) => index % 2 === 1);
}

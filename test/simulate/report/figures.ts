import { addTime, addTimes, noTimes, quantileMs } from './histogram.ts';
import type { Times } from './histogram.ts';

/** What was counted and measured in a time; those of several processes can be added. */
export interface FiguresData {
  counts: Record<string, number>;
  /** By kind. */
  errors: Record<string, number>;
  /** By kind; they were caused on purpose. */
  disturbances: Record<string, number>;
  times: Record<string, Times>;
}

export const noFigures = (): FiguresData => ({ counts: {}, errors: {}, disturbances: {}, times: {} });

export type Counter =
  'samples' | 'plays' | 'command_reports' | 'manifests' | 'media_files' | 'media_bytes' | 'moves';
export type TimeKind =
  | 'heartbeat_socket'
  | 'heartbeat_http'
  | 'plays'
  | 'command_report'
  | 'manifest'
  | 'connect'
  /** From the loss of a socket until the welcome on the next one. */
  | 'reconnect';

export interface Figures {
  count(counter: Counter, by?: number): void;
  error(kind: string): void;
  disturbed(kind: string): void;
  time(kind: TimeKind, ms: number): void;
  /** What came in since the last call. */
  take(): FiguresData;
}

function add(counts: Record<string, number>, key: string, by = 1): void {
  counts[key] = (counts[key] ?? 0) + by;
}

export function createFigures(): Figures {
  let data = noFigures();
  return {
    count: (counter, by) => add(data.counts, counter, by),
    error: (kind) => add(data.errors, kind),
    disturbed: (kind) => add(data.disturbances, kind),
    time: (kind, ms) => addTime((data.times[kind] ??= noTimes()), ms),
    take() {
      const taken = data;
      data = noFigures();
      return taken;
    },
  };
}

/** Adds the figures of another process or of a later time. */
export function addFigures(sum: FiguresData, more: FiguresData): void {
  for (const part of ['counts', 'errors', 'disturbances'] as const) {
    for (const [key, count] of Object.entries(more[part])) {
      add(sum[part], key, count);
    }
  }
  for (const [kind, times] of Object.entries(more.times)) {
    addTimes((sum.times[kind] ??= noTimes()), times);
  }
}

export const countErrors = ({ errors }: FiguresData): number =>
  Object.values(errors).reduce((sum, count) => sum + count, 0);

/** As JSON for a summary of this many seconds. */
export function presentFigures(data: FiguresData, seconds: number) {
  const heartbeats =
    (data.times['heartbeat_socket']?.count ?? 0) + (data.times['heartbeat_http']?.count ?? 0);
  const ms = Object.entries(data.times).map(([kind, times]) => [
    kind,
    {
      count: times.count,
      p50: round(quantileMs(times, 0.5)),
      p99: round(quantileMs(times, 0.99)),
      max: round(times.maxMs),
    },
  ]);
  return {
    heartbeats,
    heartbeats_per_second: round(heartbeats / seconds),
    ...data.counts,
    ms: Object.fromEntries(ms),
    errors: data.errors,
    disturbances: data.disturbances,
  };
}

const round = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10);

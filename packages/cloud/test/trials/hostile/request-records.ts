import type { Timing } from './stopwatch.ts';

/** A failed request of a steady client. */
export interface FailedRequest {
  kind: string;
  /** Times of request and response, milliseconds since 1970. */
  fromMs: number;
  toMs: number;
  /** 0: the connection ended without a response. */
  status: number;
  code: string;
  reason: string;
  text: string;
}

/** All requests of one kind. */
export interface KindRecord {
  /** Durations in milliseconds: adjusted for delays of this machine, and wall clock time. */
  durationsMs: number[];
  wallDurationsMs: number[];
  slowest: Timing;
  /** Failures by status, code and reason. */
  failures: Map<string, number>;
}

/** Results of all requests of steady clients. */
export interface RequestRecords {
  readonly kinds: ReadonlyMap<string, KindRecord>;
  readonly failures: readonly FailedRequest[];
  add(kind: string, took: Timing, trouble?: Omit<FailedRequest, 'kind' | 'fromMs' | 'toMs'>): void;
}

export function createRequestRecords(): RequestRecords {
  const kinds = new Map<string, KindRecord>();
  const failures: FailedRequest[] = [];
  return {
    kinds,
    failures,
    add(kind, timing, failure) {
      const record: KindRecord = kinds.get(kind) ?? {
        durationsMs: [],
        wallDurationsMs: [],
        slowest: timing,
        failures: new Map(),
      };
      kinds.set(kind, record);
      record.durationsMs.push(timing.adjustedMs);
      record.wallDurationsMs.push(timing.wallMs);
      if (timing.adjustedMs > record.slowest.adjustedMs) {
        record.slowest = timing;
      }
      if (!failure) {
        return;
      }
      failures.push({ kind, fromMs: timing.fromMs, toMs: timing.toMs, ...failure });
      const name = [failure.status || 'no response', failure.code, failure.reason].filter(Boolean).join(' ');
      record.failures.set(name, (record.failures.get(name) ?? 0) + 1);
    },
  };
}

/** Quantile of the values; 0 when there are none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? 0;
}

import type { FullDiskPeriod } from './disk-cycles.ts';
import { quantile } from './request-records.ts';
import type { RequestRecords, FailedRequest } from './request-records.ts';

/** Maximum duration of a steady request, except uploads, which wait for inspection. */
export const MAX_MS = 1_000;
export const MAX_P99_MS = 100;
/** An upload waits in the inspection queue; each file ahead of it may use the whole deadline of 10 s. */
export const MAX_UPLOAD_MS = 60_000;
/** Maximum ratio of the memory in the last tenth to that in the second tenth (medians). */
export const MAX_RSS_RATIO = 1.25;
const MIN_SECONDS_FOR_MEMORY = 600;
/** The cloud checks its disk every 5 s; a busy machine may be late. */
const DISK_NOTICED_WITHIN_MS = 10_000;

/** True for the only failure allowed on a full disk: a write rejected with the reason, while the disk is full. */
export function isExpectedOnFullDisk(
  { status, code, reason, fromMs, toMs }: FailedRequest,
  full: readonly FullDiskPeriod[],
): boolean {
  const isOne =
    (status === 503 && code === 'UNAVAILABLE' && reason === 'disk_full') ||
    (status === 507 &&
      code === 'INSUFFICIENT_STORAGE' &&
      (reason === 'disk_full' || reason === 'below_floor'));
  return isOne && full.some((time) => toMs >= time.fromMs && fromMs <= time.toMs + DISK_NOTICED_WITHIN_MS);
}

/** Unexpected failures as sentences, one per kind and response. */
export function findUnexpectedFailures(records: RequestRecords, full: readonly FullDiskPeriod[]): string[] {
  const wrong = Map.groupBy(
    records.failures.filter((one) => !isExpectedOnFullDisk(one, full)),
    ({ kind, status, code, reason }) =>
      `${kind}: ${[status || 'no response', code, reason].filter(Boolean).join(' ')}`,
  );
  return [...wrong].map(([what, [first, ...more]]) => {
    const at = new Date(first?.fromMs ?? 0).toISOString();
    return `A steady client got an unexpected error: ${what}, ${more.length + 1} times, first at ${at} (${first?.text}).`;
  });
}

/** Requests that took too long, as sentences. */
export function findSlowRequests(records: RequestRecords): string[] {
  const broken: string[] = [];
  const all: number[] = [];
  for (const [kind, { durationsMs, slowest }] of records.kinds) {
    const most = kind === 'upload' ? MAX_UPLOAD_MS : MAX_MS;
    const overCount = durationsMs.filter((ms) => ms > most).length;
    if (overCount > 0) {
      broken.push(
        `${kind}: ${overCount} of ${durationsMs.length} took longer than ${most} ms, the slowest ${Math.round(slowest.adjustedMs)} ms.`,
      );
    }
    if (kind !== 'upload') {
      for (const ms of durationsMs) {
        all.push(ms);
      }
    }
  }
  const p99 = quantile(all, 0.99);
  if (p99 > MAX_P99_MS) {
    broken.push(
      `99 % of all steady requests took up to ${Math.round(p99)} ms; ${MAX_P99_MS} ms are allowed.`,
    );
  }
  return broken;
}

/** `rssMiB`: the resident memory of the cloud, once a second. */
export function findMemoryGrowth(rssMiB: readonly number[]): string[] {
  // A new process grows until its heap reaches its final size.
  if (rssMiB.length < MIN_SECONDS_FOR_MEMORY) {
    return [];
  }
  const tenth = Math.floor(rssMiB.length / 10);
  const early = quantile(rssMiB.slice(tenth, 2 * tenth), 0.5);
  const late = quantile(rssMiB.slice(-tenth), 0.5);
  return late <= early * MAX_RSS_RATIO
    ? []
    : [
        `The memory of the cloud grew: ${Math.round(early)} MiB in the second tenth of the time, ${Math.round(late)} MiB in the last (medians).`,
      ];
}

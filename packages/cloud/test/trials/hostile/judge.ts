import type { FullTime } from './disk-cycles.ts';
import { quantile } from './records.ts';
import type { Records, Trouble } from './records.ts';

/** No request of a steady client may take longer, but for uploads, whose files wait to be looked at. */
export const MOST_MS = 1_000;
export const MOST_P99_MS = 100;
/** An upload waits for its turn; the files of others may each use the whole deadline of 10 s. */
export const MOST_UPLOAD_MS = 60_000;
/** How much more the memory may be in the last tenth than in the second, by their medians. */
export const MOST_RSS_RATIO = 1.25;
const LEAST_SECONDS = 600;
/** The cloud looks at its disk every 5 s; a busy machine is late. */
const NOTICED_WITHIN_MS = 10_000;

/** What a full disk must give, and nothing else: a write that is refused with what is wrong, while it is full. */
export function isOfFullDisk(
  { status, code, reason, fromMs, toMs }: Trouble,
  full: readonly FullTime[],
): boolean {
  const isOne =
    (status === 503 && code === 'UNAVAILABLE' && reason === 'disk_full') ||
    (status === 507 &&
      code === 'INSUFFICIENT_STORAGE' &&
      (reason === 'disk_full' || reason === 'below_floor'));
  return isOne && full.some((time) => toMs >= time.fromMs && fromMs <= time.toMs + NOTICED_WITHIN_MS);
}

/** Troubles that nothing excuses, as sentences: one for each kind and answer. */
export function judgeTroubles(records: Records, full: readonly FullTime[]): string[] {
  const wrong = Map.groupBy(
    records.troubles.filter((one) => !isOfFullDisk(one, full)),
    ({ kind, status, code, reason }) =>
      `${kind}: ${[status || 'no answer', code, reason].filter(Boolean).join(' ')}`,
  );
  return [...wrong].map(([what, [first, ...more]]) => {
    const at = new Date(first?.fromMs ?? 0).toISOString();
    return `A steady client got a wrong error: ${what}, ${more.length + 1} times, first at ${at} (${first?.text}).`;
  });
}

/** What took too long. */
export function judgeTimes(records: Records): string[] {
  const broken: string[] = [];
  const all: number[] = [];
  for (const [kind, { tookMs, slowest }] of records.kinds) {
    const most = kind === 'upload' ? MOST_UPLOAD_MS : MOST_MS;
    const over = tookMs.filter((ms) => ms > most).length;
    if (over > 0)
      broken.push(
        `${kind}: ${over} of ${tookMs.length} took longer than ${most} ms, the slowest ${Math.round(slowest.ms)} ms.`,
      );
    if (kind !== 'upload') for (const ms of tookMs) all.push(ms);
  }
  const p99 = quantile(all, 0.99);
  if (p99 > MOST_P99_MS)
    broken.push(
      `99 % of all steady requests took up to ${Math.round(p99)} ms; ${MOST_P99_MS} ms are allowed.`,
    );
  return broken;
}

/** `rssMiB`: the resident memory of the cloud once a second, from the first to the last. */
export function judgeMemory(rssMiB: readonly number[]): string[] {
  // A process that has just started grows until its heap has its size.
  if (rssMiB.length < LEAST_SECONDS) return [];
  const tenth = Math.floor(rssMiB.length / 10);
  const early = quantile(rssMiB.slice(tenth, 2 * tenth), 0.5);
  const late = quantile(rssMiB.slice(-tenth), 0.5);
  return late <= early * MOST_RSS_RATIO
    ? []
    : [
        `The memory of the cloud is not level: ${Math.round(early)} MiB in the second tenth of the time, ${Math.round(late)} MiB in the last (medians).`,
      ];
}

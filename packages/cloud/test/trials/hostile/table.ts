import type { HostileReport } from './hostile-trial.ts';
import { MOST_MS, MOST_P99_MS, MOST_UPLOAD_MS } from './judge.ts';
import { quantile } from './records.ts';

const time = (ms: number) => new Date(ms).toISOString().slice(11, 19);
const round = (ms: number) => String(Math.round(ms));

/**
 * The report for people: a row for each kind of request, memory by the minute, and what was broken. `wall`: the times
 * with what was lost because this machine had no processor to give.
 */
export function tableOf(report: HostileReport): string {
  const { records, attackers, full, rssMiB, broken } = report;
  const rows = [...records.kinds]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, { tookMs, wallMs, slowest, troubles }]) => [
      kind,
      String(tookMs.length),
      [...troubles].map(([what, n]) => `${n} × ${what}`).join(', ') || '-',
      round(quantile(tookMs, 0.5)),
      round(quantile(tookMs, 0.99)),
      round(slowest.ms),
      round(quantile(wallMs, 0.99)),
      round(Math.max(...wallMs)),
      time(slowest.fromMs),
      report.doing(slowest.fromMs, slowest.toMs).slice(0, 5).join('; ').slice(0, 200),
    ]);
  const head = [
    'request',
    'count',
    'errors',
    'p50 ms',
    'p99 ms',
    'slowest',
    'wall p99',
    'slowest',
    'at',
    'while the hostile side did',
  ];
  const minutes = Array.from({ length: Math.ceil(rssMiB.length / 60) }, (_, minute) =>
    quantile(rssMiB.slice(minute * 60, minute * 60 + 60), 0.5),
  );
  return [
    `seed ${report.seed}, ${report.screens} screens, ${Math.round(report.seconds)} s`,
    '',
    ...columns([head, ...rows]),
    '',
    'hostile side: answers by status (0: the connection ended without one)',
    ...columns(
      Object.entries(attackers.tally).map(([attack, counts]) => [
        `  ${attack}`,
        Object.entries(counts)
          .map(([status, n]) => `${n} × ${status}`)
          .join(', '),
      ]),
    ),
    '',
    report.diskNotTried === null
      ? `disk: full ${full.length} times, ${Math.round(full.reduce((sum, one) => sum + one.toMs - one.fromMs, 0) / 1000)} s in all; ${report.diskUsedMiB} MiB in use at the end`
      : `disk: NOT TRIED, ${report.diskNotTried}`,
    `memory of the cloud by the minute (median, MiB): ${minutes.map(round).join(' ')}; most ${round(Math.max(...rssMiB))}`,
    `the cloud had no processor of this machine for ${round(report.starvedPercent)} % of the time, and this process was late by up to ${round(report.ownDelayMs)} ms; both are taken off, but for the columns after "wall"`,
    `judged: 99 % of all requests but uploads by ${MOST_P99_MS} ms, each of them by ${MOST_MS} ms; an upload, which waits until others are looked at, by ${MOST_UPLOAD_MS / 1000} s`,
    `kept: ${report.kept}`,
    '',
    ...(broken.length === 0 ? ['Nothing was broken.'] : broken.map((sentence) => `BROKEN  ${sentence}`)),
  ].join('\n');
}

/** Rows as columns of equal width; the last is as wide as it is. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

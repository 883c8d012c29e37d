import type { HostileReport } from './hostile-trial.ts';
import { MAX_MS, MAX_P99_MS, MAX_UPLOAD_MS } from './pass-criteria.ts';
import { quantile } from './request-records.ts';

const time = (ms: number) => new Date(ms).toISOString().slice(11, 19);
const round = (ms: number) => String(Math.round(ms));

/**
 * The readable report: a row per kind of request, memory by minute, and violations. `wall`: times including delays
 * because this machine had no free CPU.
 */
export function formatReport(report: HostileReport): string {
  const { records, attackers, fullDiskPeriods, rssMiB, broken } = report;
  const rows = [...records.kinds]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([kind, { durationsMs, wallDurationsMs, slowest, failures }]) => [
      kind,
      String(durationsMs.length),
      [...failures].map(([what, n]) => `${n} × ${what}`).join(', ') || '-',
      round(quantile(durationsMs, 0.5)),
      round(quantile(durationsMs, 0.99)),
      round(slowest.adjustedMs),
      round(quantile(wallDurationsMs, 0.99)),
      round(Math.max(...wallDurationsMs)),
      time(slowest.fromMs),
      report.activeAttacks(slowest.fromMs, slowest.toMs).slice(0, 5).join('; ').slice(0, 200),
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
    'during attack',
  ];
  const minutes = Array.from({ length: Math.ceil(rssMiB.length / 60) }, (_, minute) =>
    quantile(rssMiB.slice(minute * 60, minute * 60 + 60), 0.5),
  );
  return [
    `seed ${report.seed}, ${report.screens} devices, ${Math.round(report.seconds)} s`,
    '',
    ...alignColumns([head, ...rows]),
    '',
    'attackers: responses by status (0: the connection ended without one)',
    ...alignColumns(
      Object.entries(attackers.tally).map(([attack, counts]) => [
        `  ${attack}`,
        Object.entries(counts)
          .map(([status, n]) => `${n} × ${status}`)
          .join(', '),
      ]),
    ),
    '',
    report.diskSkipReason === null
      ? `disk: full ${fullDiskPeriods.length} times, ${Math.round(fullDiskPeriods.reduce((sum, one) => sum + one.toMs - one.fromMs, 0) / 1000)} s in all; ${report.diskUsedMiB} MiB in use at the end`
      : `disk: NOT TRIED, ${report.diskSkipReason}`,
    `memory of the cloud by minute (median, MiB): ${minutes.map(round).join(' ')}; most ${round(Math.max(...rssMiB))}`,
    `the cloud waited for a CPU of this machine for ${round(report.cpuStarvedPercent)} % of the time, and this process was late by up to ${round(report.eventLoopDelayMs)} ms; both are subtracted, except in the columns after "wall"`,
    `limits: 99 % of all requests except uploads within ${MAX_P99_MS} ms, each of them within ${MAX_MS} ms; an upload, which waits for inspection, within ${MAX_UPLOAD_MS / 1000} s`,
    `kept: ${report.storedSummary}`,
    '',
    ...(broken.length === 0 ? ['All criteria were met.'] : broken.map((sentence) => `BROKEN  ${sentence}`)),
  ].join('\n');
}

/** Formats rows as aligned columns; the last column is not padded. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

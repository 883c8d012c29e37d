import { formatMachine } from './machine.ts';
import type { MachineState } from './machine.ts';

/** One line of the table. */
export interface Figure {
  name: string;
  ours: number;
  unit: string;
  /** The least that is possible, or another program, measured in the same run; null: the goal is absolute. */
  limit: { name: string; value: number } | null;
  /** Largest ratio to the limit that is good, or without a limit the largest value; null: there is no goal. */
  goal: number | null;
  /** For figures of which more is better: `ours` must be at least the goal, or that part of the limit. */
  isMoreBetter?: boolean;
  /** What a single number does not tell, shown behind it. */
  detail?: string;
}

/** A row of the bench: figures, or why there are none. */
export type RowResult = {
  row: string;
  /** Part of the processors that others used just before, 0–1. */
  use: number;
} & ({ figures: Figure[] } | { notMeasured: string } | { error: string });

export type Verdict = 'ok' | 'missed' | '–';

export function judge({ ours, limit, goal, isMoreBetter = false }: Figure): Verdict {
  if (goal === null) {
    return '–';
  }
  const value = limit === null ? ours : ours / limit.value;
  return (isMoreBetter ? value >= goal : value <= goal) ? 'ok' : 'missed';
}

/** False when a bench measured nothing: no number, or a limit that nothing can be compared with. */
export const isFigure = ({ ours, limit }: Figure): boolean =>
  Number.isFinite(ours) && (limit === null || (Number.isFinite(limit.value) && limit.value > 0));

/** Three digits of what is not whole, and thousands with a comma. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 0.001) {
    return '< 0.001';
  }
  const digits = size >= 100 || Number.isInteger(size) ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 3;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const COLUMNS = ['Figure', 'Ours', 'Limit', 'Ratio', 'Goal', 'Verdict'] as const;

function cellsOf(figure: Figure): string[] {
  const { name, ours, unit, limit, goal, isMoreBetter = false, detail } = figure;
  const sign = isMoreBetter ? '≥' : '≤';
  return [
    name,
    `${formatNumber(ours)} ${unit}${detail === undefined ? '' : ` (${detail})`}`,
    limit === null ? '–' : `${limit.name} ${formatNumber(limit.value)} ${unit}`,
    limit === null ? '–' : `${formatNumber(ours / limit.value)} ×`,
    goal === null ? '–' : `${sign} ${goal.toLocaleString('en')} ${limit === null ? unit : '×'}`,
    judge(figure),
  ];
}

function linesOf(results: readonly RowResult[]): string[][] {
  return results.flatMap((result) => {
    if ('figures' in result) {
      return result.figures.map(cellsOf);
    }
    const reason = 'error' in result ? `failed: ${result.error}` : `not measured: ${result.notMeasured}`;
    return [[result.row, reason, '–', '–', '–', '–']];
  });
}

/** The lines of the table, for a terminal. */
export function formatTable(results: readonly RowResult[]): string[] {
  const lines = linesOf(results);
  const widths = COLUMNS.map((title, index) =>
    Math.max(...[title, ...lines.map((line) => line[index]!)].map((cell) => cell.length)),
  );
  const join = (cells: readonly string[]) =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index]!)).join(' | ')} |`;
  return [join(COLUMNS), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(join)];
}

/** What `--markdown` writes: machine, table and notes, as in `docs/performance.md`. */
export function toMarkdown(
  machine: MachineState,
  results: readonly RowResult[],
  notes: readonly string[],
): string {
  const lines = [COLUMNS, ...linesOf(results)].map((cells) => `| ${cells.join(' | ')} |`);
  const table = lines.toSpliced(1, 0, `|${'---|'.repeat(COLUMNS.length)}`);
  return `${[`${formatMachine(machine)}:`, table.join('\n'), ...notes].join('\n\n')}\n`;
}

/** What `--json` writes. */
export function toJson(machine: MachineState, results: readonly RowResult[]): string {
  const rows = results.map((result) => ({
    ...result,
    ...('figures' in result && {
      figures: result.figures.map((figure) => ({
        ...figure,
        ratio: figure.limit === null ? null : figure.ours / figure.limit.value,
        verdict: judge(figure),
      })),
    }),
  }));
  return `${JSON.stringify({ machine, rows }, null, 2)}\n`;
}

import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';

/** One row of the table. */
export interface Figure {
  name: string;
  ours: number;
  unit: string;
  /** Measured in the same run, alternating with ours; null: the goal is absolute. */
  limit: { name: string; value: number } | null;
  /** Largest ratio to the limit that is good, or without a limit the largest value. */
  goal: number;
  /** For figures of which more is better: `ours` must be at least the goal, or that part of the limit. */
  isMoreBetter?: boolean;
}

const print = (text: string) => process.stdout.write(`${text}\n`);

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

const format = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

export const isMet = ({ ours, limit, goal, isMoreBetter = false }: Figure): boolean => {
  const value = limit === null ? ours : ours / limit.value;
  return isMoreBetter ? value >= goal : value <= goal;
};

/** Prints machine, load and figures, and writes them as JSON to the file of `--json`. */
export function printFigures(figures: readonly Figure[]): void {
  const machine = {
    date: new Date().toISOString(),
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    load: loadavg().map((value) => Number(value.toFixed(2))),
    node: process.version,
  };
  print(`${machine.processor}, ${machine.cores} cores, load ${machine.load.join(' ')}, Node ${machine.node}`);
  const rows = figures.map((figure) => {
    const { name, ours, unit, limit, goal, isMoreBetter = false } = figure;
    return {
      figure: name,
      ours: `${format(ours)} ${unit}`,
      limit: limit === null ? '–' : `${limit.name} ${format(limit.value)} ${unit}`,
      ratio: limit === null ? '–' : `${format(ours / limit.value)} ×`,
      goal: `${isMoreBetter ? '≥' : '≤'} ${goal}${limit === null ? ` ${unit}` : ' ×'}`,
      verdict: isMet(figure) ? 'ok' : 'missed',
    };
  });
  const columns = ['figure', 'ours', 'limit', 'ratio', 'goal', 'verdict'] as const;
  const header = Object.fromEntries(columns.map((column) => [column, column]));
  const lines = [header, ...rows].map((row) => columns.map((column) => row[column] ?? ''));
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]!.length)));
  for (const line of lines) {
    print(`| ${line.map((cell, index) => cell.padEnd(widths[index]!)).join(' | ')} |`);
  }
  const file = process.argv[process.argv.indexOf('--json') + 1];
  if (process.argv.includes('--json') && file !== undefined) {
    writeFileSync(file, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
  }
}

/** Seconds of each measurement; `--seconds 1` for a look. */
export function measurementMs(): number {
  const index = process.argv.indexOf('--seconds');
  return 1000 * (index === -1 ? 4 : Number(process.argv[index + 1]));
}

import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

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

const { values: options } = parseArgs({
  options: { json: { type: 'string' }, seconds: { type: 'string', default: '4' } },
});
const print = (text: string) => process.stdout.write(`${text}\n`);

const format = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);

const isMet = ({ ours, limit, goal, isMoreBetter = false }: Figure): boolean => {
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
  if (options.json !== undefined) {
    writeFileSync(options.json, `${JSON.stringify({ machine, figures }, null, 2)}\n`);
  }
}

/** How long each measurement takes, in milliseconds. */
export function measurementMs(): number {
  const seconds = Number(options.seconds);
  if (!(seconds > 0 && seconds <= 600)) {
    throw new Error('--seconds: give a number up to 600.');
  }
  return seconds * 1000;
}

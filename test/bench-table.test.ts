import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatTable, isFigure, judge, toJson, toMarkdown } from './bench/figures.ts';
import type { Figure } from './bench/figures.ts';
import { ROWS } from './bench/rows.ts';
import { readCommandLine } from './bench/settings.ts';

const figure: Figure = { name: 'edit', ours: 30, unit: 'ms', limit: null, goal: 30 };
const compared: Figure = { ...figure, ours: 2_500, limit: { name: 'bare', value: 1_000 }, goal: 2.5 };

describe('a verdict', () => {
  test.each<[string, Figure, string]>([
    ['the goal itself is good', figure, 'ok'],
    ['more is too much', { ...figure, ours: 30.1 }, 'missed'],
    ['of which more is better', { ...figure, ours: 31, isMoreBetter: true }, 'ok'],
    ['too little', { ...figure, ours: 29, isMoreBetter: true }, 'missed'],
    ['beside a limit the ratio counts', compared, 'ok'],
    ['over the ratio', { ...compared, ours: 2_600 }, 'missed'],
    ['a figure without a goal', { ...figure, goal: null }, '–'],
  ])('%s', (_, given, verdict) => {
    expect(judge(given)).toBe(verdict);
  });

  test('is none without a number', () => {
    expect(isFigure(figure)).toBe(true);
    expect(isFigure({ ...figure, ours: Number.NaN })).toBe(false);
    expect(isFigure({ ...compared, limit: { name: 'bare', value: 0 } })).toBe(false);
  });
});

test('the table holds figures, rows that could not be measured, and rows that failed', () => {
  const lines = formatTable([
    { row: 'edit', use: 0, figures: [{ ...figure, detail: 'of 5' }, compared] },
    { row: 'gap', use: 0, notMeasured: 'needs apt-get install xvfb' },
    { row: 'soak', use: 0, error: 'no browser' },
  ]);
  expect(lines.map((line) => line.replaceAll(/ +/g, ' ').replaceAll(/-+/g, '-'))).toEqual([
    '| Figure | Ours | Limit | Ratio | Goal | Verdict |',
    '|-|-|-|-|-|-|',
    '| edit | 30 ms (of 5) | – | – | ≤ 30 ms | ok |',
    '| edit | 2,500 ms | bare 1,000 ms | 2.50 × | ≤ 2.5 × | ok |',
    '| gap | not measured: needs apt-get install xvfb | – | – | – | – |',
    '| soak | failed: no browser | – | – | – | – |',
  ]);
  expect(new Set(lines.map((line) => line.length)).size).toBe(1);
});

const machine = {
  date: '2026-11-27T08:00:00.000Z',
  processor: 'A chip',
  cores: 2,
  load: [0.1, 0.2],
  node: 'v24',
};

test('the document gets the machine, the same table, and what is to be known of it', () => {
  expect(toMarkdown(machine, [{ row: 'edit', use: 0, figures: [compared] }], ['A note'])).toBe(
    `2026-11-27, A chip, 2 cores, load 0.1 0.2, Node v24:

| Figure | Ours | Limit | Ratio | Goal | Verdict |
|---|---|---|---|---|---|
| edit | 2,500 ms | bare 1,000 ms | 2.50 × | ≤ 2.5 × | ok |

A note
`,
  );
});

test('the file has ratios and verdicts', () => {
  const { rows } = JSON.parse(toJson(machine, [{ row: 'edit', use: 0.1, figures: [compared] }]));
  expect(rows).toEqual([{ row: 'edit', use: 0.1, figures: [{ ...compared, ratio: 2.5, verdict: 'ok' }] }]);
});

describe('the row', () => {
  const document = readFileSync('docs/performance.md', 'utf8');
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const commands = Object.values<string>(scripts).map((script) => script.split(' '));

  test.each(Object.keys(ROWS))('%s is described, and a script runs it', (row) => {
    expect(document).toContain(`\`${row}\``);
    expect(commands.some((command) => command.includes('test/bench/main.ts') && command.includes(row))).toBe(
      true,
    );
  });
});

describe('the command line', () => {
  test('names rows and how much is measured', () => {
    const { rows, settings, jsonFile, markdownFile } = readCommandLine(
      'edit --seconds 2 --json x.json --markdown x.md'.split(' '),
    );
    expect([rows, settings.ms, settings.rounds(3), settings.count(50_000), jsonFile, markdownFile]).toEqual([
      ['edit'],
      2_000,
      3,
      50_000,
      'x.json',
      'x.md',
    ]);
  });

  test('a quick run measures a little of everything', () => {
    const { rows, settings } = readCommandLine(['--quick']);
    expect([rows, settings.ms, settings.rounds(3), settings.count(50_000)]).toEqual([[], 500, 1, 1_000]);
  });

  test('a measurement that is usually long is so unless a duration is given', () => {
    const durations = [[], ['--seconds', '2'], ['--quick']].map((args) =>
      readCommandLine(args).settings.msOf(900_000),
    );
    expect(durations).toEqual([900_000, 2_000, 500]);
    expect(readCommandLine(['--screens', '20000']).settings.screens).toBe(20_000);
  });

  test.each([['--seconds=0'], ['--scale=2'], ['--rounds=none'], ['--screens=0'], ['--devices=5']])(
    '%s is refused',
    (flag) => {
      expect(() => readCommandLine([flag])).toThrow(/--\w+/);
    },
  );
});

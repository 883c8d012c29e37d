/**
 * Figures of the whole product beside their limits, in one table: `npm run bench`, or some rows: `npm run bench -- heartbeats
 * reads`. Fails when a row produced no figures; a goal that is missed is told by the table only. See docs/performance.md.
 */
import { writeFileSync } from 'node:fs';
import { formatTable, isFigure, toJson, toMarkdown } from './figures.ts';
import type { RowResult } from './figures.ts';
import { BUSY, describeMachine, formatMachine, measureUse } from './machine.ts';
import { NotMeasuredError } from './not-measured.ts';
import { ROWS } from './rows.ts';
import { HELP, readCommandLine } from './settings.ts';
import type { CommandLine, Settings } from './settings.ts';

const USE_MS = 1_000;

const print = (text = '') => process.stdout.write(`${text}\n`);
const percent = (part: number) => `${(100 * part).toFixed(0)} %`;

async function measureRow(row: string, settings: Settings): Promise<RowResult> {
  const use = await measureUse(USE_MS);
  const warning = use > BUSY ? `  BUSY: others use ${percent(use)} of the processors` : '';
  print(`  ${row} …${warning}`);
  try {
    const measure = await ROWS[row]!();
    const figures = await measure(settings);
    const broken = figures.filter((figure) => !isFigure(figure)).map(({ name }) => name);
    if (figures.length === 0 || broken.length > 0) {
      return { row, use, error: `no figure: ${broken.join('; ')}` };
    }
    return { row, use, figures };
  } catch (error) {
    if (error instanceof NotMeasuredError) {
      return { row, use, notMeasured: error.message };
    }
    process.stderr.write(`${row}: ${error instanceof Error ? error.stack : String(error)}\n`);
    return { row, use, error: error instanceof Error ? error.message.split('\n')[0]! : String(error) };
  }
}

/** What a reader of the table must know. */
function notesOn(results: readonly RowResult[], isQuick: boolean): string[] {
  const failed = results.flatMap((result) => ('error' in result ? [`${result.row} (${result.error})`] : []));
  const busy = results.filter(({ use }) => use > BUSY).map(({ row, use }) => `${row} ${percent(use)}`);
  return [
    ...(busy.length === 0
      ? []
      : [
          `The machine was busy with other work before these rows, so trust at most their ratios: ${busy.join(', ')}`,
        ]),
    ...(isQuick ? ['A quick run shows that the rows work; its figures are worth nothing.'] : []),
    // Last, where whoever looks for the cause of an exit code looks first.
    ...(failed.length === 0 ? [] : [`These rows failed: ${failed.join('; ')}`]),
  ];
}

async function main({ rows, settings, jsonFile, markdownFile, isHelp }: CommandLine): Promise<number> {
  const unknown = rows.find((row) => !(row in ROWS));
  if (isHelp || unknown !== undefined) {
    print(`${unknown === undefined ? '' : `There is no row ${unknown}.\n`}${HELP}`);
    print(`  rows: ${Object.keys(ROWS).join(', ')}`);
    return isHelp ? 0 : 1;
  }
  const machine = describeMachine();
  print(formatMachine(machine));
  const results: RowResult[] = [];
  for (const row of rows.length > 0 ? rows : Object.keys(ROWS)) {
    results.push(await measureRow(row, settings));
  }
  const notes = notesOn(results, settings.isQuick);
  print();
  for (const line of formatTable(results)) {
    print(line);
  }
  for (const note of notes) {
    print(`\n${note}`);
  }
  if (jsonFile !== null) {
    writeFileSync(jsonFile, toJson(machine, results));
  }
  if (markdownFile !== null) {
    writeFileSync(markdownFile, toMarkdown(machine, results, notes));
  }
  return results.some((result) => 'error' in result) ? 1 : 0;
}

process.exitCode = await main(readCommandLine(process.argv.slice(2)));

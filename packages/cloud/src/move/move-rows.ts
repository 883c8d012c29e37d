import { StartupError } from '../domain/startup-error.ts';
import type { MoveSource } from './move-source.ts';
import type { MoveTarget } from './move-target.ts';
import type { Progress } from './progress.ts';
import { describeKey, MOVED_TABLES } from './tables.ts';
import type { MovedTable } from './tables.ts';

/** Keys of rows with replaced characters that are named; more are counted. */
const MAX_NAMED = 5;

export interface RowsDeps {
  source: MoveSource;
  target: MoveTarget;
  progress: Progress;
}

export interface RowCounts {
  /** In the source. */
  total: number;
  /** Copied by this run. */
  copied: number;
}

/** Copies the rows that are not in the target yet. What is interrupted goes on with the next batch. */
export async function copyRows({ source, target, progress }: RowsDeps): Promise<RowCounts> {
  const counts = { total: countAll(source), copied: 0 };
  let done = 0;
  for (const [name, table] of MOVED_TABLES) {
    let before = await target.progress(name);
    done += before.rows;
    for (const { rows, last } of source.batches(name, table, target.columns(name), before.after)) {
      const after = { after: last, rows: before.rows + rows.length };
      await target.insert(name, table, rows, { before, after });
      before = after;
      done += rows.length;
      counts.copied += rows.length;
      progress(() => `Rows      ${done} of ${counts.total} (${name})`);
    }
  }
  return counts;
}

export interface CompareResult {
  rows: number;
  /** Sentences about texts that differ on purpose: PostgreSQL does not store U+0000. */
  replaced: string[];
}

/** Compares every row of both databases; throws a `StartupError` that names the first rows that differ. */
export async function compareRows({ source, target, progress }: RowsDeps): Promise<CompareResult> {
  const total = countAll(source);
  const replaced: string[] = [];
  let compared = 0;
  for (const [name, table] of MOVED_TABLES) {
    let rowsOfTable = 0;
    let replacedOfTable = 0;
    const named: string[] = [];
    for (const batch of source.batches(name, table, target.columns(name), null)) {
      await requireEqual({ target, name, table, rows: batch.rows });
      rowsOfTable += batch.rows.length;
      replacedOfTable += batch.replaced.length;
      named.push(...batch.replaced.slice(0, MAX_NAMED - named.length).map((key) => describeKey(table, key)));
      progress(() => `Checking  ${compared + rowsOfTable} of ${total} rows (${name})`);
    }
    const stored = await target.count(name);
    if (stored !== rowsOfTable) {
      throw new StartupError(
        `The table ${name} has ${stored} rows in ${target.place} instead of ${rowsOfTable}. ${DIFFERENCE_ADVICE}`,
      );
    }
    if (replacedOfTable > 0) {
      replaced.push(
        `In ${replacedOfTable} rows of ${name} the character U+0000, which PostgreSQL does not store, became U+FFFD: ` +
          `${named.join('; ')}${replacedOfTable > named.length ? ' …' : ''}`,
      );
    }
    compared += rowsOfTable;
  }
  return { rows: compared, replaced };
}

const DIFFERENCE_ADVICE =
  'Something else has written to it. Drop that database, create it again, and start again.';

async function requireEqual({
  target,
  name,
  table,
  rows,
}: {
  target: MoveTarget;
  name: string;
  table: MovedTable;
  rows: Parameters<MoveTarget['compare']>[2];
}): Promise<void> {
  const differences = await target.compare(name, table, rows);
  if (differences.length > 0) {
    const found = differences.map(
      ({ key, isMissing }) => `${describeKey(table, key)} ${isMissing ? 'is missing' : 'differs'}`,
    );
    throw new StartupError(
      `The table ${name} is not equal in ${target.place}: ${found.join('; ')}. ${DIFFERENCE_ADVICE}`,
    );
  }
}

function countAll(source: MoveSource): number {
  let total = 0;
  for (const [name, table] of MOVED_TABLES) {
    total += source.count(name, table);
  }
  return total;
}

import type { Expression, RawBuilder, SqlBool } from 'kysely';
import type { Db } from '../db.ts';
import type { PartitionedTable } from '../schema.ts';

/** Values of one column. */
export interface GivenColumn {
  name: string;
  type: 'text' | 'bigint' | 'double precision';
  values: readonly (string | number | null)[];
}

/** One row of each group. */
export interface LeastOfEach {
  table: string;
  where: Expression<SqlBool>;
  group: string;
  /** Decides which: the row where it is least. */
  order: string;
  /** A further column of that row. */
  value: string;
}

/** The types of columns; `sql` of migrations, and the types that Kysely's schema builder takes. */
export interface ColumnTypes {
  /** Compared by bytes, as ids, cursors and sorted lists require. */
  text: RawBuilder<string>;
  /** Up to 2^53, such as a time in milliseconds. */
  integer: RawBuilder<number>;
  /** A primary key that is counted up, and never used twice. */
  countedKey: RawBuilder<number>;
  /** A measurement, as `encodeMeasure` stores it. */
  measure: RawBuilder<number>;
}

/**
 * What SQLite and PostgreSQL do not write the same way. All other SQL is written so that both understand it: `case`
 * instead of `max(a, b)`, `count(*) filter (where …)` instead of sums of conditions, a name for each subquery in `from`,
 * and each column beside an aggregate in `group by`.
 */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  readonly types: ColumnTypes;
  /**
   * The place of a row in its table, by which the statement that reads it can find it again. Not of a table with partitions:
   * PostgreSQL counts places in each of them.
   */
  readonly place: RawBuilder<unknown>;
  /** The table from which old rows are deleted one by one: of one with partitions, which are dropped, what is in none. */
  outsidePartitions: (table: string) => string;
  /**
   * A condition (`and …`) that leaves out rows which are no longer kept: PostgreSQL drops them later, with their partition.
   * Rows from `neededFrom` on are kept whatever their age.
   */
  onlyKept(
    table: PartitionedTable,
    time: RawBuilder<unknown>,
    neededFrom?: RawBuilder<unknown>,
  ): RawBuilder<unknown>;
  /** The table, or view, of all samples of all devices. */
  readonly allSamples: RawBuilder<unknown>;
  /** A text in whose order A–Z are the same as a–z; an index of it has the same order. */
  caseless: (column: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** Whether the column contains the text, which is in lower case; the column may be in any. */
  contains(column: string, lowerCaseText: string): Expression<SqlBool>;
  /** Whether the column is the text, which is in lower case; the column may be in any. */
  equalsIgnoringCase(column: string, lowerCaseText: string): Expression<SqlBool>;
  /** The values of a column as JSON, in the order of another: a part of `select`. */
  jsonArray(column: string, order: string): RawBuilder<string>;
  /** A table `given` of these columns, for `from`: one parameter for all rows, or for each column. */
  given(columns: readonly GivenColumn[]): RawBuilder<unknown>;
  /** A table `least` with the columns `order` and `value`, for `from`. */
  leastOfEach(query: LeastOfEach): RawBuilder<unknown>;
  /**
   * The end of a `select` in a transaction: its rows of this table stay as they are until the transaction ends. What it
   * reads to decide what it writes is otherwise changed meanwhile by the hot paths, which do not wait for it.
   */
  keepRows(table: string): RawBuilder<unknown>;
  /**
   * Within a transaction: whoever appends events waits for those that do, until they are committed. The last lock that a
   * transaction takes, so that none waits for one that waits for it.
   */
  lockEvents(db: Db): Promise<void>;
  /** What is stored for a measurement. */
  encodeMeasure: (value: number | null) => number | null;
  /** The measurement that is stored in the column. */
  decodeMeasure: (column: RawBuilder<unknown>) => RawBuilder<number | null>;
}

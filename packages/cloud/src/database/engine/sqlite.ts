import { sql } from 'kysely';
import type { Engine } from './engine.ts';

/** Tenths if that is exact, which takes 1 or 2 bytes, otherwise the value itself; its type tells which. */
export function encodeMeasure(value: number | null): number | null {
  if (value === null) {
    return null;
  }
  const tenths = Math.round(value * 10);
  return tenths / 10 === value ? tenths : value;
}

/**
 * The function that makes a column lower case, to compare it with this text. SQLite's own knows ASCII letters only, which is
 * enough to find ASCII; ours (`open-database.ts`) knows all, and takes several times as long.
 */
const lower = (text: string) => sql.raw(/^[\x20-\x7e]*$/.test(text) ? 'lower' : 'lower_all_letters');

export const sqlite: Engine = {
  name: 'sqlite',
  types: {
    text: sql`text`,
    integer: sql`integer`,
    countedKey: sql`integer primary key autoincrement`,
    measure: sql`integer`,
  },
  place: sql`rowid`,
  outsidePartitions: (table) => table,
  onlyKept: () => sql``,
  allSamples: sql`all_samples`,
  caseless: (column) => sql`${column} collate nocase`,
  // LIKE would take time proportional to the product of both lengths.
  contains: (column, text) => sql`instr(${lower(text)}(${sql.ref(column)}), ${text}) > 0`,
  equalsIgnoringCase: (column, text) => sql`${lower(text)}(${sql.ref(column)}) = ${text}`,
  jsonArray: (column, order) => sql`json_group_array(${sql.ref(column)} order by ${sql.ref(order)})`,
  given(columns) {
    const rows = (columns[0]?.values ?? []).map((_, row) => columns.map(({ values }) => values[row]));
    const values = columns.map(({ name }, index) => sql`value ->> ${sql.lit(index)} as ${sql.ref(name)}`);
    return sql`(select ${sql.join(values)} from json_each(${JSON.stringify(rows)})) as given`;
  },
  // SQLite takes bare columns beside `min` from the row with the minimum.
  leastOfEach: ({ table, where, group, order, value }) =>
    sql`(select min(${sql.ref(order)}) as ${sql.ref(order)}, ${sql.ref(value)} from ${sql.table(table)}
      where ${where} group by ${sql.ref(group)}) as least`,
  // Nothing else writes during a transaction.
  keepRows: () => sql``,
  async lockEvents() {},
  encodeMeasure,
  decodeMeasure: (column) =>
    sql`case typeof(${column}) when 'integer' then ${column} / 10.0 else ${column} end`,
};

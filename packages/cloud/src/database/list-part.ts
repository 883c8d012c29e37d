import { FIRST_CURSOR } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { Expression, RawBuilder, SqlBool } from 'kysely';
import { decodeCursor, encodeCursor } from '../domain/list-cursor.ts';
import type { ListPosition } from '../domain/list-cursor.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';

export interface Paging {
  /** From 1. */
  page: number;
  limit: number;
}

type SortColumn = 'name' | 'tag' | 'position' | 'created_at' | 'updated_at' | 'size';

/** Which part of a list is wanted, in which order. */
export interface ListQuery extends Paging {
  /** `first`, or where the part before ended; instead of `page`. */
  cursor?: string | undefined;
  /** A column, with a minus from the highest value to the lowest; `-created_at` when undefined. */
  sort?: SortColumn | `-${SortColumn}` | undefined;
}

export interface ListPart {
  /** Whether the rows of all parts are to be counted. */
  isCounted: boolean;
  /** Conditions of the rows of this part and those after it. */
  and: Expression<SqlBool>[];
  orderBy: RawBuilder<unknown>;
  /** `limit`, and `offset` if there is one. */
  range: RawBuilder<unknown>;
  /** Where a list by cursor goes on after this row. */
  cursorAfter(row: object): string;
  /** The rows of this part, and where the list goes on, of the rows that were read. */
  cut<R extends object>(rows: R[]): { rows: R[]; nextCursor: string | null };
}

export const offsetOf = (paging: Paging): number => (paging.page - 1) * paging.limit;

/** Ties are broken by id, so that no part repeats or skips rows. `id` is a column that no two rows have alike. */
export function partOf(db: Db, table: string, query: ListQuery, id = 'id'): ListPart {
  const { cursor, sort = '-created_at', limit } = query;
  const isDescending = sort.startsWith('-');
  const column = isDescending ? sort.slice(1) : sort;
  const isText = column === 'name' || column === 'tag';
  const list = { name: table, sort, valueType: isText ? 'string' : 'number' } as const;
  const key = isText ? engineOf(db).caseless(sql.ref(column)) : sql.ref(column);
  const direction = isDescending ? sql`desc` : sql`asc`;
  const orderBy = sql`order by ${key} ${direction}, ${sql.ref(id)} ${direction}`;
  const cursorAfter = (row: object) => encodeCursor(list, positionIn(row, column, id));
  if (cursor === undefined) {
    const range = sql`limit ${limit} offset ${offsetOf(query)}`;
    return { isCounted: true, and: [], orderBy, range, cursorAfter, cut: leaveWhole };
  }
  const isAfter = ({ value, id: last }: ListPosition) => {
    const at = typeof value === 'string' ? toCaseless(value) : value;
    const [beyond, from] = isDescending ? [sql`<`, sql`<=`] : [sql`>`, sql`>=`];
    // Of texts SQLite finds the place in the index by this condition alone.
    const atOrBeyond = isText ? sql`${key} ${from} ${at} and` : sql``;
    return sql<SqlBool>`${atOrBeyond} (${key}, ${sql.ref(id)}) ${beyond} (${at}, ${last})`;
  };
  return {
    isCounted: false,
    and: cursor === FIRST_CURSOR ? [] : [isAfter(decodeCursor(list, cursor))],
    orderBy,
    // One more tells whether there are more.
    range: sql`limit ${limit + 1}`,
    cursorAfter,
    cut(rows) {
      const part = rows.slice(0, limit);
      const last = rows.length > limit ? part.at(-1) : undefined;
      return { rows: part, nextCursor: last ? cursorAfter(last) : null };
    },
  };
}

const leaveWhole: ListPart['cut'] = (rows) => ({ rows, nextCursor: null });

/** As `Engine.caseless` does: letters of other alphabets stay as they are. */
const toCaseless = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

function positionIn(row: object, column: string, id: string): ListPosition {
  const columns = new Map<string, unknown>(Object.entries(row));
  const value = columns.get(column);
  return {
    value: typeof value === 'number' ? value : String(value),
    id: String(columns.get(id)),
  };
}

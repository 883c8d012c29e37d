import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Db } from './db.ts';

/** The tables that the sign-in engine reads and writes row by row. */
export type SignInTable =
  'users' | 'sessions' | 'user_accounts' | 'passkeys' | 'second_factors' | 'sign_in_steps';

export type SignInValue = string | number | null;
export type SignInRow = Record<string, SignInValue>;

export interface RowCondition {
  column: string;
  operator: '=' | '<>' | '<' | '<=' | '>' | '>=' | 'in';
  value: SignInValue | readonly SignInValue[];
}

export interface RowSelection {
  /** All of them hold. */
  where: readonly RowCondition[];
  limit?: number;
  sortBy?: { column: string; direction: 'asc' | 'desc' } | undefined;
}

/** Rows by conditions, for an engine that brings its own idea of a database. */
export function signInTableRepository(db: Db) {
  return {
    async insert(table: SignInTable, row: SignInRow): Promise<void> {
      const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)));
      await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
        db,
      );
    },
    async select(table: SignInTable, { where, limit = 100, sortBy }: RowSelection): Promise<SignInRow[]> {
      const order = sortBy
        ? sql`order by ${sql.ref(sortBy.column)} ${sortBy.direction === 'desc' ? sql`desc` : sql`asc`}`
        : sql``;
      const { rows } =
        await sql<SignInRow>`select * from ${sql.table(table)} where ${matching(where)} ${order}
        limit ${limit}`.execute(db);
      return rows;
    },
    async count(table: SignInTable, where: readonly RowCondition[]): Promise<number> {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}
        where ${matching(where)}`.execute(db);
      return rows[0]?.n ?? 0;
    },
    /** Returns how many rows it changed. `increment`: what is added to columns, of which null counts as 0. */
    async update(
      table: SignInTable,
      where: readonly RowCondition[],
      change: SignInRow,
      increment: Readonly<Record<string, number>> = {},
    ): Promise<number> {
      const assignments = [
        ...Object.entries(change).map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
        ...Object.entries(increment).map(
          ([column, by]) => sql`${sql.ref(column)} = coalesce(${sql.ref(column)}, 0) + ${by}`,
        ),
      ];
      const { numAffectedRows } = await sql`update ${sql.table(table)} set ${sql.join(assignments)}
        where ${matching(where)}`.execute(db);
      return Number(numAffectedRows ?? 0n);
    },
    async delete(table: SignInTable, where: readonly RowCondition[]): Promise<number> {
      const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ${matching(where)}`.execute(
        db,
      );
      return Number(numAffectedRows ?? 0n);
    },
    /** The secret that signs cookies, the same for all nodes; `made` if there was none. */
    async secret(made: string): Promise<string> {
      await sql`insert into sign_in_secret (id, secret) values (1, ${made}) on conflict (id) do nothing`.execute(
        db,
      );
      const { rows } = await sql<{ secret: string }>`select secret from sign_in_secret`.execute(db);
      return rows[0]?.secret ?? made;
    },
  };
}

const matching = (where: readonly RowCondition[]): RawBuilder<unknown> =>
  where.length === 0 ? sql`1 = 1` : sql.join(where.map(toSql), sql` and `);

function toSql({ column, operator, value }: RowCondition): RawBuilder<unknown> {
  const ref = sql.ref(column);
  if (Array.isArray(value)) {
    return value.length === 0 ? sql`1 = 0` : sql`${ref} in (${sql.join(value)})`;
  }
  if (value === null) {
    return operator === '<>' ? sql`${ref} is not null` : sql`${ref} is null`;
  }
  return sql`${ref} ${sql.raw(operator)} ${value}`;
}

export type SignInTables = ReturnType<typeof signInTableRepository>;

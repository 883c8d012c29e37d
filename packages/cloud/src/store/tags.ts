import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { groupBy, inSlices } from './paging.ts';

const OWNERS = { asset_tags: 'asset_id', device_tags: 'device_id' } as const;

/** The tags of assets or of devices, each in the order in which they were given. */
export function tagTable(db: Db, name: keyof typeof OWNERS) {
  const [table, owner] = [sql.table(name), sql.ref(OWNERS[name])];
  return {
    /** The rows with their tags. */
    async attach<R extends { id: string }>(rows: readonly R[]): Promise<(R & { tags: string[] })[]> {
      const found = await inSlices(
        rows.map((row) => row.id),
        async (ids) =>
          (
            await sql<{ owner: string; tag: string }>`select ${owner} as owner, tag from ${table}
              where ${owner} in (${sql.join(ids)}) order by ${owner}, position`.execute(db)
          ).rows,
      );
      const tags = groupBy(found, (row) => row.owner);
      return rows.map((row) => ({ ...row, tags: (tags.get(row.id) ?? []).map(({ tag }) => tag) }));
    },
    async replace(id: string, tags: readonly string[]): Promise<void> {
      await sql`delete from ${table} where ${owner} = ${id}`.execute(db);
      if (tags.length === 0) return;
      const values = tags.map((tag, position) => sql`(${id}, ${tag}, ${position})`);
      await sql`insert into ${table} (${owner}, tag, position) values ${sql.join(values)}`.execute(db);
    },
    /** How many tags there are, of all together. */
    async count(): Promise<number> {
      const { rows } = await sql<{ n: number }>`select count(*) as n from ${table}`.execute(db);
      return rows[0]?.n ?? 0;
    },
    /** The condition that a row has this tag; nothing when none is asked for. */
    having(tag: string | undefined): Expression<SqlBool>[] {
      return tag === undefined ? [] : [sql`id in (select ${owner} from ${table} where tag = ${tag})`];
    },
  };
}

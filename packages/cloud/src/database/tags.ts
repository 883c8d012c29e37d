import { sql } from 'kysely';
import type { Expression, RawBuilder, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { partOf } from './list-part.ts';
import type { ListQuery } from './list-part.ts';
import { containsText, countRows, queryInBatches, whereAll } from './paging.ts';
import type { Page } from './paging.ts';
import type { Row } from './schema.ts';
import { devicesOfStores } from './targets-of-stores.ts';

const OWNERS = {
  asset_tags: { column: 'asset_id', id: 'assets.id' },
  device_tags: { column: 'device_id', id: 'devices.id' },
} as const;

export interface TagQuery extends ListQuery {
  search?: string | undefined;
  /** Only tags of content and of devices of these stores. */
  stores?: readonly string[] | undefined;
}

/** The tags in use, which triggers keep (`tag_counts`). */
export const tagRepository = (db: Db) => ({
  async list({ search, stores, ...query }: TagQuery): Promise<Page<Row<'tag_counts'>>> {
    const table = stores ? tagsOfStores(stores) : sql`tag_counts`;
    const part = partOf(db, 'tag_counts', query, 'tag');
    const and = containsText(db, 'tag', search);
    const total = part.isCounted ? await countTags(db, table, and) : null;
    const conditions = whereAll<'tag_counts'>({ and: [...and, ...part.and] });
    const { rows } = await sql<Row<'tag_counts'>>`select tag, devices, content, schedules from ${table}
      where ${conditions} ${part.orderBy} ${part.range}`.execute(db);
    return { ...part.cut(rows), total };
  },
});

async function countTags(db: Db, table: RawBuilder<unknown>, and: Expression<SqlBool>[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${table}
    where ${whereAll({ and })}`.execute(db);
  return rows[0]?.n ?? 0;
}

/**
 * The table `tag_counts` as far as these stores are concerned: devices are counted in them, and schedules of the tags that these devices have.
 * All content counts, because everybody sees all of it.
 */
const tagsOfStores = (
  stores: readonly string[],
) => sql`(select all_tags.tag as tag, coalesce(own.devices, 0) as devices,
    all_tags.content as content, case when own.tag is null then 0 else all_tags.schedules end as schedules
  from tag_counts as all_tags
  left join (select tag, count(*) as devices from device_tags where device_id in ${devicesOfStores(stores)} group by tag) as own
    on own.tag = all_tags.tag
  where own.tag is not null or all_tags.content > 0) as tag_counts`;

/** Tags of assets or devices, in the order given by the client. */
export function tagTable(db: Db, name: keyof typeof OWNERS) {
  const [table, owner] = [sql.table(name), sql.ref(OWNERS[name].column)];
  return {
    /** The tags of the row that an outer query reads, as JSON. */
    json: sql<string>`(select ${engineOf(db).jsonArray('tag', 'position')} from ${table}
      where ${owner} = ${sql.ref(OWNERS[name].id)})`,
    async attach<R extends { id: string }>(rows: readonly R[]): Promise<(R & { tags: string[] })[]> {
      const found = await queryInBatches(
        rows.map((row) => row.id),
        async (ids) =>
          (
            await sql<{ owner: string; tag: string }>`select ${owner} as owner, tag from ${table}
              where ${owner} in (${sql.join(ids)}) order by ${owner}, position`.execute(db)
          ).rows,
      );
      const tags = Map.groupBy(found, (row) => row.owner);
      return rows.map((row) => ({ ...row, tags: (tags.get(row.id) ?? []).map(({ tag }) => tag) }));
    },
    async replace(id: string, tags: readonly string[]): Promise<void> {
      await sql`delete from ${table} where ${owner} = ${id}`.execute(db);
      if (tags.length === 0) {
        return;
      }
      const values = tags.map((tag, position) => sql`(${id}, ${tag}, ${position})`);
      await sql`insert into ${table} (${owner}, tag, position) values ${sql.join(values)}`.execute(db);
    },
    /** Number of tags of all owners together. */
    count: (): Promise<number> => countRows(db, name),
    /** Condition that a row has this tag; none for undefined. */
    having(tag: string | undefined): Expression<SqlBool>[] {
      return tag === undefined ? [] : [sql`id in (select ${owner} from ${table} where tag = ${tag})`];
    },
  };
}

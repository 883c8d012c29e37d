import { sql } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { slicesOf } from './paging.ts';
import type { Row } from './schema.ts';

export type AlertMatch = Pick<Row<'alert_matches'>, 'device_id' | 'since' | 'detail'>;

type Rule = Pick<Row<'alert_rules'>, 'id' | 'generation'>;

/** Matches that one transaction deletes. */
const DELETED_AT_ONCE = 1000;

/**
 * Under which id the matches of a rule are stored. In another generation it has none: those of the one before, which may be of all
 * devices, are not deleted by whoever changes the rule.
 */
const keyOf = ({ id, generation }: Rule): string => (generation === 0 ? id : `${id}.${generation}`);

/** Since when devices meet the conditions of rules. */
export function alertMatchRepository(db: Db) {
  return {
    ofRule: (rule: Rule): Promise<AlertMatch[]> =>
      db
        .selectFrom('alert_matches')
        .select(['device_id', 'since', 'detail'])
        .where('rule_id', '=', keyOf(rule))
        .execute(),
    /** Stores matches; one that there was is replaced. */
    async put(rule: Rule, matches: readonly AlertMatch[]): Promise<void> {
      await sql`insert into alert_matches (rule_id, device_id, since, detail)
        select ${keyOf(rule)}, device_id, since, detail from ${engineOf(db).given([
          { name: 'device_id', type: 'text', values: matches.map((match) => match.device_id) },
          { name: 'since', type: 'bigint', values: matches.map(({ since }) => since) },
          { name: 'detail', type: 'text', values: matches.map(({ detail }) => detail) },
        ])} where true
        on conflict (rule_id, device_id) do update set since = excluded.since, detail = excluded.detail`.execute(
        db,
      );
    },
    async delete(rule: Rule, deviceIds: readonly string[]): Promise<void> {
      for (const slice of slicesOf(deviceIds, DELETED_AT_ONCE)) {
        await db
          .deleteFrom('alert_matches')
          .where('rule_id', '=', keyOf(rule))
          .where('device_id', 'in', slice)
          .execute();
      }
    },
    /** Deletes some matches of rules that are gone, or have another generation; returns whether there may be more. */
    async deleteBatch(): Promise<boolean> {
      const rules = await db.selectFrom('alert_rules').select(['id', 'generation']).execute();
      const inUse = new Set(rules.map(keyOf));
      const { rows } = await sql<Pick<Row<'alert_matches'>, 'rule_id'>>`with recursive found (rule_id) as (
        select min(rule_id) from alert_matches
        union all
        select (select min(rule_id) from alert_matches where alert_matches.rule_id > found.rule_id) from found
        where rule_id is not null)
        select rule_id from found where rule_id is not null`.execute(db);
      const unused = rows.find(({ rule_id: key }) => !inUse.has(key));
      if (!unused) {
        return false;
      }
      await sql`delete from alert_matches where rule_id = ${unused.rule_id} and device_id in (
        select device_id from alert_matches where rule_id = ${unused.rule_id}
        order by device_id limit ${DELETED_AT_ONCE})`.execute(db);
      return true;
    },
  };
}

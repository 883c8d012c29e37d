import { sql } from 'kysely';
import type { Db } from './db.ts';

export interface NamedDevice {
  id: string;
  name: string;
}

/** Devices that are read at once. */
const BATCH_ROWS = 1000;

const next = (after: ReturnType<typeof sql>) =>
  sql`select min(decoders) from devices where decoders is not null and decoders > ${after}`;

/** What devices have reported that they can play: texts of `encodeDecoders`, which many devices share. */
export function decoderRepository(db: Db) {
  return {
    /** Every text that a device has reported, each found by a step in the index. */
    async listReported(): Promise<string[]> {
      const { rows } = await sql<{ decoders: string }>`with recursive reported (decoders) as (
          select (${next(sql`''`)})
          union all
          select (${next(sql`reported.decoders`)}) from reported where reported.decoders is not null)
        select decoders from reported where decoders is not null`.execute(db);
      return rows.map(({ decoders }) => decoders);
    },
    /**
     * How many of these devices have reported each of the texts, and the first ones; texts of none are left out. Awaits
     * `yieldIfLong` in between.
     */
    async countReached(
      texts: readonly string[],
      reached: ReadonlySet<string>,
      maxNamed: number,
      yieldIfLong: () => Promise<void>,
    ): Promise<ReadonlyMap<string, { count: number; first: NamedDevice[] }>> {
      const counted = new Map<string, { count: number; first: NamedDevice[] }>();
      for (const text of texts) {
        const found = { count: 0, first: [] as NamedDevice[] };
        let rows: (NamedDevice & { number: number })[] = [];
        do {
          rows = await db
            .selectFrom('devices')
            .select(['id', 'name', 'number'])
            .where('decoders', '=', text)
            .where('number', '>', rows.at(-1)?.number ?? 0)
            .orderBy('number')
            .limit(BATCH_ROWS)
            .execute();
          for (const { id, name } of rows) {
            if (reached.has(id)) {
              found.count += 1;
              if (found.first.length < maxNamed) {
                found.first.push({ id, name });
              }
            }
          }
          await yieldIfLong();
        } while (rows.length === BATCH_ROWS);
        if (found.count > 0) {
          counted.set(text, found);
        }
      }
      return counted;
    },
  };
}

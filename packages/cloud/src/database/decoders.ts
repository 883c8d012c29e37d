import { sql } from 'kysely';
import type { Db } from './db.ts';
import { slicesOf } from './paging.ts';

/** A device and what it has reported. */
export interface ReportingDevice {
  id: string;
  name: string;
  decoders: string;
}

/** Devices that are read at once. */
const BATCH_ROWS = 1000;
/** More devices than that are found by what they have reported, which may be that of all devices. */
const MAX_READ_BY_ID = 5000;

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
    /** Those of the devices that have reported one of the texts. Awaits `yieldIfLong` in between. */
    async findReached(
      texts: readonly string[],
      reached: ReadonlySet<string>,
      yieldIfLong: () => Promise<void>,
    ): Promise<ReportingDevice[]> {
      const found: ReportingDevice[] = [];
      if (reached.size <= MAX_READ_BY_ID) {
        const wanted = new Set(texts);
        for (const slice of slicesOf([...reached], BATCH_ROWS)) {
          const rows = await db
            .selectFrom('devices')
            .select(['id', 'name', 'decoders'])
            .where('id', 'in', slice)
            .where('decoders', 'is not', null)
            .orderBy('number')
            .execute();
          for (const { id, name, decoders } of rows) {
            if (decoders !== null && wanted.has(decoders)) {
              found.push({ id, name, decoders });
            }
          }
          await yieldIfLong();
        }
        return found;
      }
      for (const decoders of texts) {
        let rows: { id: string; name: string; number: number }[] = [];
        do {
          rows = await db
            .selectFrom('devices')
            .select(['id', 'name', 'number'])
            .where('decoders', '=', decoders)
            .where('number', '>', rows.at(-1)?.number ?? 0)
            .orderBy('number')
            .limit(BATCH_ROWS)
            .execute();
          for (const { id, name } of rows) {
            if (reached.has(id)) {
              found.push({ id, name, decoders });
            }
          }
          await yieldIfLong();
        } while (rows.length === BATCH_ROWS);
      }
      return found;
    },
  };
}

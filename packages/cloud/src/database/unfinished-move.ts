import { sql } from 'kysely';
import { StartupError } from '../domain/startup-error.ts';
import type { Db } from './db.ts';

/** How far a move or a restore into this database is. The table exists from its beginning to its end, on PostgreSQL only. */
export const UNFINISHED_MOVE = 'unfinished_move';

/** Whether a move or a restore into this database has begun and not finished. */
export async function hasUnfinishedMove(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    found: boolean;
  }>`select to_regclass(${UNFINISHED_MOVE}) is not null as found`.execute(db);
  return rows[0]?.found === true;
}

/** Refuses a database that has only a part of the data of a cloud. */
export async function requireNoUnfinishedMove(db: Db, place: string): Promise<void> {
  if (await hasUnfinishedMove(db)) {
    throw new StartupError(
      `The database ${place} has only a part of the data: a move or a restore to it has begun and not finished. ` +
        'Start the same command again, which continues it.',
    );
  }
}

import Sqlite from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { migrate } from '../database/migrate.ts';
import type { DatabaseSchema } from '../database/schema.ts';

/**
 * Opens or creates a database file that nothing else uses, with all migrations of this version. What is written is not safe
 * from a crash, so the file must count as incomplete until it is closed. `place` and `advice` are for the message about a
 * newer version.
 */
export async function openSqliteFile(
  file: string,
  message: { place: string; advice: string },
): Promise<Sqlite.Database> {
  const database = new Sqlite(file);
  try {
    database.pragma('journal_mode = OFF');
    database.pragma('synchronous = OFF');
    // A migration that replaces a table would delete what refers to its rows, and rows are copied table by table.
    database.pragma('foreign_keys = OFF');
    await migrate(new Kysely<DatabaseSchema>({ dialect: new SqliteDialect({ database }) }), message);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

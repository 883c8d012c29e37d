import { Migrator, sql } from 'kysely';
import type { Logger } from 'pino';
import { StartupError } from '../domain/startup-error.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { Engine } from './engine/engine.ts';
import { MIGRATIONS } from './migrations/index.ts';

/** By its name a migration only adds what programs before it need not know. They can use the database as well. */
const EXPANDS = /^\d{4}-expand-/;
/** By its name a migration is of what SQLite alone has. */
const SQLITE_ONLY = /^\d{4}-sqlite-/;

/** The migrations of a database on this engine. */
export const migrationsOf = ({ name: engine }: Pick<Engine, 'name'>): typeof MIGRATIONS =>
  engine === 'sqlite'
    ? MIGRATIONS
    : Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => !SQLITE_ONLY.test(name)));

/** The migrations of a database and of this program; none were applied to one that no program has used. */
async function compareMigrations(
  db: Db,
): Promise<{ applied: string[]; unknown: string[]; isUsable: boolean; isSame: boolean }> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const applied = tables.some((table) => table.name === 'kysely_migration')
    ? (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)).rows
    : [];
  const known = migrationsOf(engineOf(db));
  const unknown = applied.map(({ name }) => name).filter((name) => !(name in known));
  const hasAll = applied.length - unknown.length === Object.keys(known).length;
  return {
    applied: applied.map(({ name }) => name),
    unknown,
    isUsable: hasAll && unknown.every((name) => EXPANDS.test(name)),
    isSame: hasAll && unknown.length === 0,
  };
}

/** Whether a newer program has migrated the database, so that it may have rows of which this one knows nothing. */
export const hasNewerMigrations = async (db: Db): Promise<boolean> =>
  (await compareMigrations(db)).unknown.length > 0;

export interface MigrateOptions {
  /** For the message about a newer version. */
  place: string;
  advice: string;
  /** Told of the migrations of a database that was used before, which may take a while. */
  log?: Pick<Logger, 'warn'> | undefined;
}

/**
 * Makes the migrations that the database has not had, all in one transaction, and one program at a time. Refuses a database
 * of a newer version that this program cannot use.
 */
export async function migrate(db: Db, { place, advice, log }: MigrateOptions): Promise<void> {
  const migrations = migrationsOf(engineOf(db));
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { applied, unknown, isUsable } = await compareMigrations(db);
  if (isUsable) {
    // With unknown ones: a node that is started again while others already have the next version.
    return;
  }
  if (unknown.length > 0) {
    throw new StartupError(
      `${place} was written by a newer version of this program (unknown migrations: ${unknown.join(', ')}). ` +
        `Start that version, or ${advice}.`,
    );
  }
  const from = applied.at(-1);
  if (from !== undefined) {
    log?.warn({ from, to: Object.keys(migrations).at(-1) }, 'database.migrating');
  }
  const startMs = performance.now();
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    throw error instanceof Error ? error : new Error('database migration failed', { cause: error });
  }
  if (from !== undefined) {
    log?.warn({ ms: Math.round(performance.now() - startMs) }, 'database.migrated');
  }
}

/**
 * Refuses a database that this version of the program has not migrated. `allowNewer`: one that a newer version has migrated
 * is allowed if a cloud of this version can use it; a copy would lack what was added.
 */
export async function requireMigrated(
  db: Db,
  place: string,
  { allowNewer }: { allowNewer: boolean },
): Promise<void> {
  const { applied, unknown, isUsable, isSame } = await compareMigrations(db);
  if (applied.length === 0) {
    throw new StartupError(`There is no cloud in the database ${place}. Check the name of the database.`);
  }
  if (!(allowNewer ? isUsable : isSame)) {
    const [which, advice] =
      unknown.length > 0 ? ['a newer', ''] : ['an older', ', or start the cloud of this version first'];
    throw new StartupError(
      `The database ${place} is of ${which} version of this program. Use the version whose cloud runs on it${advice}.`,
    );
  }
}

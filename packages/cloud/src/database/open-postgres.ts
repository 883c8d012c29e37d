import { Kysely, PostgresDialect, sql } from 'kysely';
import { TypeOverrides, types as pgTypes } from 'pg';
import type { PoolConfig } from 'pg';
import type { Logger } from 'pino';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { Db } from './db.ts';
import { migrate, requireMigrated } from './migrate.ts';
import { createConnectionPool } from './postgres/connection-pool.ts';
import type { PostgresDb } from './postgres/postgres-storage.ts';
import { describePostgres } from './postgres-url.ts';
import type { DatabaseSchema } from './schema.ts';
import { requireNoUnfinishedMove } from './unfinished-move.ts';

/** Connections of one node. A server usually allows 100, and each takes 10 MB of its memory. */
const MAX_CONNECTIONS = 10;
/** Also how long a request waits for a connection when all are in use. */
const CONNECT_TIMEOUT_MS = 5_000;
/** No statement of ours takes a second; one that waits for a lock must not hold a connection for ever. */
const STATEMENT_TIMEOUT_MS = 10_000;
/** Then the server is not there any more: it would have ended the statement. */
const ANSWER_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 2_000;
const MIN_VERSION = 15;

/** The types of which `pg` makes texts, because they can be greater than a number of JavaScript: none of ours is. */
const { INT8, NUMERIC } = pgTypes.builtins;

export interface OpenPostgresOptions {
  /** A move opens a database that has only a part of the data; its statements may take long. */
  forMove?: boolean;
  /** Whether to migrate it. If not, one that this version has not migrated is refused: a cloud of another version may run on it. */
  migrates?: boolean;
  /** Told of migrations, when the database no longer answers, and when it does again. */
  log?: Pick<Logger, 'warn'>;
}

/** Opens and migrates a database on PostgreSQL. Refuses one of a newer version of this program, and older servers. */
export async function openPostgres(
  url: string,
  { forMove = false, migrates = true, log }: OpenPostgresOptions = {},
): Promise<PostgresDb> {
  const place = describePostgres(url);
  // Alone, and without a limit of time: a migration may take long, and waits for another node that makes it.
  const migrating = connect(url, { max: 1 });
  try {
    requireSuitable(await describeServer(migrating, place), place);
    if (migrates) {
      await migrate(migrating, { place: `The database ${place}`, advice: 'name another database', log });
    } else {
      await requireMigrated(migrating, place, { allowNewer: true });
    }
    if (!forMove) {
      await requireNoUnfinishedMove(migrating, place);
    }
  } finally {
    await migrating.destroy();
  }
  if (forMove) {
    return connect(url, { max: 1 });
  }
  return connect(
    url,
    {
      max: MAX_CONNECTIONS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
    },
    (failure) =>
      log?.warn(
        { database: place, reason: failure },
        failure === null ? 'database.available' : 'database.unavailable',
      ),
  );
}

/** Opens a database on PostgreSQL for reading, as it is. Refuses one that no cloud has used. */
export async function openPostgresForReading(url: string): Promise<Db> {
  const place = describePostgres(url);
  const db = connect(url, { max: 1, options: '-c default_transaction_read_only=on' });
  try {
    requireSuitable(await describeServer(db, place), place);
    await requireMigrated(db, place, { allowNewer: true });
    await requireNoUnfinishedMove(db, place);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

function connect(
  url: string,
  options: PoolConfig,
  onChange: (failure: string | null) => void = () => {},
): PostgresDb {
  const types = new TypeOverrides();
  for (const type of [INT8, NUMERIC]) {
    types.setTypeParser(type, Number);
  }
  const pool = createConnectionPool({
    config: {
      connectionString: url,
      application_name: 'placard',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      types,
      ...options,
    },
    onChange,
  });
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) });
  return Object.assign(db, { connectionCounts: pool.counts });
}

interface Server {
  version: number;
  encoding: string;
  /** Whether it knows the lower case of all letters. */
  hasLetters: boolean;
}

async function describeServer(db: Db, place: string): Promise<Server> {
  try {
    const { rows } = await sql<Server>`select
      current_setting('server_version_num')::integer / 10000 as version, current_setting('server_encoding') as encoding,
      exists (select 1 from pg_collation where collname = 'und-x-icu') as "hasLetters"`.execute(db);
    return rows[0]!;
  } catch (cause) {
    throw new StartupError(
      `The database ${place} cannot be used (${errorMessage(cause)}). Check that PostgreSQL is running and reachable, and ` +
        'that user, password and name of the database are right.',
      cause,
    );
  }
}

function requireSuitable({ version, encoding, hasLetters }: Server, place: string): void {
  if (version < MIN_VERSION) {
    throw new StartupError(
      `The server of ${place} is PostgreSQL ${version}. Version ${MIN_VERSION} or newer is needed.`,
    );
  }
  if (encoding !== 'UTF8') {
    throw new StartupError(
      `The database ${place} stores text as ${encoding}. ` +
        "Create it with: create database name template template0 encoding 'UTF8'.",
    );
  }
  if (!hasLetters) {
    throw new StartupError(
      `The server of ${place} was built without ICU, which searching in texts needs. Use packages that have it, ` +
        'such as those of postgresql.org.',
    );
  }
}

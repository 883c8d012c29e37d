import { PostgresAdapter } from 'kysely';
import type { QueryExecutorProvider } from 'kysely';
import type { Engine } from './engine.ts';
import { postgres } from './postgres.ts';
import { sqlite } from './sqlite.ts';

/** The engine of a database, or of a transaction of it. */
export const engineOf = (db: QueryExecutorProvider): Engine =>
  db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;

import type { Kysely } from 'kysely';
import type { DatabaseSchema } from './schema.ts';

/** The database, of either engine, or a transaction of it. */
export type Db = Kysely<DatabaseSchema>;

import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Operations on many devices, and what came of each device. */
export const bulkOperations: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    await sql`create table bulk_operations (id ${text} primary key, action ${text} not null, filter ${text}, cursor ${text},
      status ${text} not null, total ${integer} not null, succeeded ${integer} not null, failed ${integer} not null,
      told_at ${integer} not null, actor_type ${text} not null, actor_id ${text} not null, actor_name ${text} not null, address ${text} not null,
      request_id ${text} not null, created_at ${integer} not null, finished_at ${integer})`.execute(db);
    await sql`create index bulk_operations_by_created_at on bulk_operations (created_at, id)`.execute(db);
    await sql`create table bulk_results (operation_id ${text} not null, position ${integer} not null,
      device_id ${text} not null, status ${text} not null, error_code ${text}, error_message ${text}, command_id ${text},
      deployment_id ${text}, finished_at ${integer}, primary key (operation_id, position))`.execute(db);
    await sql`create index bulk_results_by_status on bulk_results (operation_id, status, position)`.execute(
      db,
    );
  },
};

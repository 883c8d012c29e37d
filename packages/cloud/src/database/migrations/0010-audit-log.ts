import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Who changed what and when: rows cannot be updated, or deleted before the retention period has passed. */
export const auditLog: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types } = engineOf(db);
    const { text, integer } = types;
    await sql`create table audit_log (
      id ${text} primary key,
      created_at ${integer} not null,
      actor_type ${text} not null,
      actor_id ${text},
      actor_name ${text} not null,
      address ${text},
      request_id ${text},
      action ${text} not null,
      resource_type ${text} not null,
      resource_id ${text} not null,
      resource_name ${text},
      changes ${text} not null
    )`.execute(db);
    await sql`create index audit_log_time on audit_log (created_at, id)`.execute(db);
    await sql`create index audit_log_resource on audit_log (resource_id, created_at)`.execute(db);
    await sql`create index audit_log_actor on audit_log (actor_id, created_at)`.execute(db);
    // Rows older than this may be deleted. It can only be raised.
    await sql`create table audit_retention (id ${integer} primary key check (id = 1), delete_before ${integer} not null)`.execute(
      db,
    );
    await sql`insert into audit_retention (id, delete_before) values (1, 0)`.execute(db);

    await PROTECT[engine](db);
  },
};

const PROTECT = { sqlite: protectOnSqlite, postgres: protectOnPostgres };

async function protectOnSqlite(db: Kysely<unknown>): Promise<void> {
  const refuse = (name: string, event: string, when: string) =>
    sql`${sql.raw(`create trigger ${name} before ${event} ${when}
        begin select raise(abort, 'the audit log is append-only'); end`)}`.execute(db);
  await refuse('audit_log_update', 'update on audit_log', '');
  await refuse(
    'audit_log_delete',
    'delete on audit_log',
    'when old.created_at >= coalesce((select delete_before from audit_retention), 0)',
  );
  // "Insert or replace" does not fire the delete trigger.
  await refuse(
    'audit_log_replace',
    'insert on audit_log',
    'when exists (select 1 from audit_log where id = new.id)',
  );
  await refuse(
    'audit_retention_update',
    'update on audit_retention',
    'when new.delete_before < old.delete_before',
  );
  await refuse('audit_retention_delete', 'delete on audit_retention', '');
}

async function protectOnPostgres(db: Kysely<unknown>): Promise<void> {
  await sql`create function refuse_audit_change() returns trigger language plpgsql as $$
    begin raise exception 'the audit log is append-only'; end $$`.execute(db);
  // The condition of a trigger cannot read another table.
  await sql`create function refuse_early_audit_deletion() returns trigger language plpgsql as $$
    begin
      if old.created_at >= coalesce((select delete_before from audit_retention), 0) then
        raise exception 'the audit log is append-only';
      end if;
      return old;
    end $$`.execute(db);
  const trigger = (name: string, event: string, action: string) =>
    sql`${sql.raw(`create trigger ${name} before ${event} execute function ${action}()`)}`.execute(db);
  await trigger('audit_log_update', 'update on audit_log for each row', 'refuse_audit_change');
  await trigger('audit_log_delete', 'delete on audit_log for each row', 'refuse_early_audit_deletion');
  await trigger(
    'audit_retention_update',
    'update on audit_retention for each row when (new.delete_before < old.delete_before)',
    'refuse_audit_change',
  );
  await trigger('audit_retention_delete', 'delete on audit_retention for each row', 'refuse_audit_change');
  for (const table of ['audit_log', 'audit_retention']) {
    await trigger(`${table}_truncate`, `truncate on ${table}`, 'refuse_audit_change');
  }
}

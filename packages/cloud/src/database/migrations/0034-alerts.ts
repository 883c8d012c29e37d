import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** Rules for alerts, and the alerts that they have opened. */
export const alerts: Migration = {
  async up(db: Kysely<unknown>) {
    const { integer, text } = engineOf(db).types;
    const run = (statement: ReturnType<typeof sql>) => statement.execute(db);
    await run(sql`create table alert_rules (id ${text} primary key, name ${text} not null, condition ${text} not null,
      filter ${text} not null, is_active ${integer} not null, created_at ${integer} not null, updated_at ${integer} not null)`);
    await run(sql`create index alert_rules_by_created_at on alert_rules (created_at, id)`);
    await run(sql`create table alert_matches (rule_id ${text} not null, device_id ${text} not null, since ${integer} not null,
      detail ${text}, primary key (rule_id, device_id))`);
    await run(sql`create table alerts (id ${text} primary key, rule_id ${text} not null, rule_name ${text} not null,
      condition ${text} not null, kind ${text} not null, ref ${text} not null, subject_name ${text}, status ${text} not null,
      devices ${integer} not null, affected ${integer} not null, created_at ${integer} not null, resolved_at ${integer},
      resolved_because ${text})`);
    // One open alert per cause, whoever opens it.
    await run(sql`create unique index alerts_open on alerts (rule_id, kind, ref) where status = 'open'`);
    await run(sql`create index alerts_by_created_at on alerts (created_at, id)`);
    await run(sql`create index alerts_by_status on alerts (status, created_at, id)`);
    await run(sql`create index alerts_by_rule on alerts (rule_id, created_at, id)`);
    await run(sql`create index alerts_by_resolved_at on alerts (resolved_at, id)`);
    await run(sql`create table alert_devices (alert_id ${text} not null, device_id ${text} not null, position ${integer} not null,
      joined_at ${integer} not null, over_since ${integer}, primary key (alert_id, device_id))`);
    await run(sql`create index alert_devices_by_position on alert_devices (alert_id, position)`);
    await run(sql`create index alert_devices_by_device on alert_devices (device_id)`);
  },
};

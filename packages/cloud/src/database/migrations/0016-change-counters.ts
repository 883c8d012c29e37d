import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/**
 * `credential_epoch` changes with every key or token that is changed or removed, by any process, so that each can keep
 * those it has seen in memory. `device_count` is the number of devices, which would take 0.4 ms to count at 50,000.
 */
export const changeCounters: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types } = engineOf(db);
    const { integer } = types;
    const onSqlite = async (name: string, event: string, change: string) => {
      await sql`create trigger ${sql.ref(name)} after ${sql.raw(event)} begin update ${sql.raw(change)}; end`.execute(
        db,
      );
    };
    const onPostgres = async (name: string, event: string, change: string) => {
      await sql`create function ${sql.ref(name)}() returns trigger language plpgsql as $$
        begin update ${sql.raw(change)}; return null; end $$`.execute(db);
      await sql`create trigger ${sql.ref(name)} after ${sql.raw(event)} for each row
        execute function ${sql.ref(name)}()`.execute(db);
    };
    /** Once for all rows of a statement: each would otherwise change the same row anew. */
    const countOnPostgres = async (name: string, event: string, change: string) => {
      await sql`create function ${sql.ref(name)}() returns trigger language plpgsql as $$
        begin update device_count set devices = devices ${sql.raw(change)} (select count(*) from changed);
          return null; end $$`.execute(db);
      await sql`create trigger ${sql.ref(name)} after ${sql.raw(event)} as changed for each statement
        execute function ${sql.ref(name)}()`.execute(db);
    };
    const trigger = { sqlite: onSqlite, postgres: onPostgres }[engine];
    await sql`create table credential_epoch (id ${integer} primary key check (id = 1), epoch ${integer} not null)`.execute(
      db,
    );
    await sql`insert into credential_epoch (id, epoch) values (1, 0)`.execute(db);
    const nextEpoch = 'credential_epoch set epoch = epoch + 1';
    await trigger('api_keys_changed', 'update of id, hash, name, scope, expires_at on api_keys', nextEpoch);
    await trigger('api_keys_removed', 'delete on api_keys', nextEpoch);
    await trigger(
      'device_tokens_changed',
      'update of hash, device_id, revoked_at on device_tokens',
      nextEpoch,
    );
    await trigger('device_tokens_removed', 'delete on device_tokens', nextEpoch);

    await sql`create table device_count (id ${integer} primary key check (id = 1), devices ${integer} not null)`.execute(
      db,
    );
    await sql`insert into device_count (id, devices) select 1, count(*) from devices`.execute(db);
    if (engine === 'postgres') {
      await countOnPostgres('devices_added', 'insert on devices referencing new table', '+');
      await countOnPostgres('devices_removed', 'delete on devices referencing old table', '-');
    } else {
      await trigger('devices_added', 'insert on devices', 'device_count set devices = devices + 1');
      await trigger('devices_removed', 'delete on devices', 'device_count set devices = devices - 1');
    }
  },
};

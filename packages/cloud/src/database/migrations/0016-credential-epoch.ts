import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/**
 * A number that changes with every key or token that is changed or removed, by any process, so that each can keep those
 * it has seen in memory.
 */
export const credentialEpoch: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table credential_epoch (id integer primary key check (id = 1), epoch integer not null)`.execute(
      db,
    );
    await sql`insert into credential_epoch (id, epoch) values (1, 0)`.execute(db);
    const trigger = async (name: string, event: string) => {
      await sql`create trigger ${sql.ref(name)} after ${sql.raw(event)}
        begin update credential_epoch set epoch = epoch + 1; end`.execute(db);
    };
    await trigger('api_keys_changed', 'update of id, hash, name, scope, expires_at on api_keys');
    await trigger('api_keys_removed', 'delete on api_keys');
    await trigger('device_tokens_changed', 'update of hash, device_id, revoked_at on device_tokens');
    await trigger('device_tokens_removed', 'delete on device_tokens');
  },
};

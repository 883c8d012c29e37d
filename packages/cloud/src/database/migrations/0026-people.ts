import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

/** People who sign in, how they do, and the links that let them in. */
export const people: Migration = {
  async up(db: Kysely<unknown>) {
    const { text, integer } = engineOf(db).types;
    const create = (statement: ReturnType<typeof sql>) => statement.execute(db);
    await create(sql`create table users (
      id ${text} primary key,
      name ${text} not null,
      email ${text} not null unique,
      email_verified ${integer} not null,
      role ${text} not null,
      all_stores ${integer} not null,
      has_totp ${integer} not null,
      disabled_at ${integer},
      last_signed_in_at ${integer},
      created_at ${integer} not null,
      updated_at ${integer} not null
    )`);
    await create(sql`create table user_stores (
      user_id ${text} not null references users (id) on delete cascade,
      store_id ${text} not null references stores (id) on delete cascade,
      primary key (user_id, store_id)
    )`);
    await create(sql`create index user_stores_store on user_stores (store_id)`);
    await create(sql`create table sessions (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      token_hash ${text} not null unique,
      address ${text},
      user_agent ${text},
      created_at ${integer} not null,
      updated_at ${integer} not null,
      expires_at ${integer} not null,
      last_used_at ${integer} not null
    )`);
    await create(sql`create index sessions_user on sessions (user_id)`);
    await create(sql`create index sessions_expiry on sessions (expires_at)`);
    await create(sql`create table user_accounts (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      provider ${text} not null,
      account_id ${text} not null,
      issuer ${text},
      password ${text},
      created_at ${integer} not null,
      updated_at ${integer} not null
    )`);
    await create(sql`create index user_accounts_user on user_accounts (user_id)`);
    await create(sql`create unique index user_accounts_account on user_accounts (provider, account_id)`);
    await create(sql`create table passkeys (
      id ${text} primary key,
      user_id ${text} not null references users (id) on delete cascade,
      name ${text},
      public_key ${text} not null,
      credential_id ${text} not null unique,
      counter ${integer} not null,
      device_type ${text} not null,
      backed_up ${integer} not null,
      transports ${text},
      aaguid ${text},
      created_at ${integer} not null
    )`);
    await create(sql`create index passkeys_user on passkeys (user_id)`);
    await create(sql`create table second_factors (
      id ${text} primary key,
      user_id ${text} not null unique references users (id) on delete cascade,
      secret ${text} not null,
      backup_codes ${text} not null,
      verified ${integer} not null,
      failures ${integer} not null,
      locked_until ${integer}
    )`);
    await create(sql`create table sign_in_steps (
      id ${text} primary key,
      identifier ${text} not null,
      value ${text} not null,
      expires_at ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    )`);
    await create(sql`create index sign_in_steps_identifier on sign_in_steps (identifier)`);
    await create(sql`create index sign_in_steps_expiry on sign_in_steps (expires_at)`);
    await create(sql`create table invitations (
      id ${text} primary key,
      token_hash ${text} not null unique,
      email ${text},
      role ${text} not null,
      stores ${text},
      created_by ${text} not null,
      created_at ${integer} not null,
      expires_at ${integer} not null,
      accepted_at ${integer},
      accepted_by ${text},
      revoked_at ${integer}
    )`);
    await create(
      sql`create table sign_in_secret (id ${integer} primary key check (id = 1), secret ${text} not null)`,
    );
  },
};

import { sql } from 'kysely';
import type { Credentials, KeyCredential, TokenCredential } from '../credentials.ts';
import type { Db } from '../db.ts';
import { SESSION_CREDENTIALS } from '../sessions.ts';
import type { SessionCredential } from '../sessions.ts';
import { createLookUp } from './look-up.ts';

/** Not kept in memory: what another node has revoked must be refused from the next request on. */
export function createCredentials(db: Db): Credentials {
  return {
    findKey: createLookUp(async (hashes) => {
      const { rows } = await sql<KeyCredential & { hash: string }>`
        select hash, id, name, scope, expires_at from api_keys where hash = any(${hashes})`.execute(db);
      return new Map(rows.map((row) => [row.hash, row]));
    }),
    findToken: createLookUp(async (hashes) => {
      const { rows } = await sql<TokenCredential & { hash: string }>`
        select hash, device_id, first_used_at, revoked_at from device_tokens where hash = any(${hashes})`.execute(
        db,
      );
      return new Map(rows.map((row) => [row.hash, row]));
    }),
    findSession: createLookUp(async (hashes) => {
      const { rows } = await sql<SessionCredential & { token_hash: string }>`
        ${sql.raw(SESSION_CREDENTIALS)} = any(${hashes})`.execute(db);
      return new Map(rows.map((row) => [row.token_hash, row]));
    }),
  };
}

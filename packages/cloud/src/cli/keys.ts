import { randomBytes } from 'node:crypto';
import { makeId } from '@placard/protocol';
import type { Scope } from '@placard/protocol/api';
import { changesBetween } from '../domain/audit-changes.ts';
import type { Snapshot } from '../domain/audit-changes.ts';
import { startFault } from '../domain/start-fault.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import { iso, isoOrNull } from '../http/present.ts';
import { hashSecret, newSecret } from '../http/secrets.ts';
import { apiKeyRepository } from '../store/api-keys.ts';
import { auditRepository } from '../store/audit-log.ts';
import { openDatabase } from '../store/database.ts';
import { requireDatabase } from '../store/maintenance.ts';
import { openReserve } from '../store/reserve.ts';
import type { Row } from '../store/schema.ts';
import { commandLineActor } from './actor.ts';

export interface Keys {
  keys: ReturnType<typeof apiKeyRepository>;
  audit: ReturnType<typeof auditRepository>;
}

/**
 * Works on the keys of a cloud, which may be running; in one transaction. On a full disk the work may use what is set
 * aside for that: a key that has leaked has to go now.
 */
export async function withKeys<T>(dataDir: string, work: (held: Keys) => Promise<T>): Promise<T> {
  requireDatabase(dataDir);
  const reserve = openReserve(dataDir);
  const makeRoom = () => reserve.give(Number.MAX_SAFE_INTEGER) > 0;
  const db = await openDatabase(dataDir, makeRoom);
  const run = () =>
    db.transaction().execute((trx) => work({ keys: apiKeyRepository(trx), audit: auditRepository(trx) }));
  try {
    return await run().catch((error: unknown) => {
      if (storageTroubleOf(error) === 'full' && makeRoom()) return run();
      throw error;
    });
  } catch (error) {
    const trouble = storageTroubleOf(error);
    if (trouble === 'full')
      throw startFault(`The disk of ${dataDir} is full. Make room on it, then try again.`, error);
    if (trouble === 'busy')
      throw startFault(`The database in ${dataDir} is held by another program. Try again.`, error);
    throw error;
  } finally {
    await db.destroy();
  }
}

/** Makes a key and answers with its secret, which nothing can show again. */
export async function createKey(
  { keys, audit }: Keys,
  about: { name: string; scope: Scope },
  nowMs: number,
): Promise<string> {
  const secret = newSecret('plk_');
  const row = {
    id: makeId('key', nowMs, randomBytes(16)),
    name: about.name,
    scope: about.scope,
    hash: hashSecret(secret),
    created_at: nowMs,
    expires_at: null,
    last_used_at: null,
  };
  await keys.insert(row);
  await audit.append(entryOf('api_key.created', row, changesBetween(null, snapshotOf(row)), nowMs));
  return secret;
}

/** One line per key. */
export async function listKeys({ keys }: Keys): Promise<string[]> {
  const lines: string[] = [];
  for (let page = 1; ; page++) {
    const { rows } = await keys.list({ page, limit: 100 });
    for (const row of rows) {
      const used = row.last_used_at === null ? 'never used' : `used ${iso(row.last_used_at)}`;
      const expiry = row.expires_at === null ? '' : `, expires ${iso(row.expires_at)}`;
      lines.push(`${row.id}  ${row.scope.padEnd(5)}  ${row.name}  (${used}${expiry})`);
    }
    if (rows.length < 100) return lines;
  }
}

export async function revokeKey({ keys, audit }: Keys, id: string, nowMs: number): Promise<void> {
  const row = await keys.find(id);
  if (!row) throw startFault(`There is no key ${id}. See the keys with "keys list".`);
  await keys.delete(id);
  await audit.append(entryOf('api_key.revoked', row, changesBetween(snapshotOf(row), null), nowMs));
}

const snapshotOf = ({ name, scope, expires_at }: Row<'api_keys'>): Snapshot => ({
  name,
  fields: { name: { value: name }, scope: { value: scope }, expires_at: { value: isoOrNull(expires_at) } },
});

const entryOf = (
  action: string,
  { id, name }: Row<'api_keys'>,
  changes: ReturnType<typeof changesBetween>,
  nowMs: number,
) => ({
  id: makeId('audit', nowMs, randomBytes(16)),
  created_at: nowMs,
  ...commandLineActor(),
  action,
  resource_type: 'api_key',
  resource_id: id,
  resource_name: name,
  changes,
});

import { randomBytes } from 'node:crypto';
import { makeId } from '@placard/protocol';
import type { Scope } from '@placard/protocol/api';
import { startFault } from '../domain/start-fault.ts';
import { iso } from '../http/present.ts';
import { hashSecret, newSecret } from '../http/secrets.ts';
import { apiKeyRepository } from '../store/api-keys.ts';
import { openDatabase } from '../store/database.ts';
import { requireDatabase } from '../store/maintenance.ts';

type Keys = ReturnType<typeof apiKeyRepository>;

/** Works on the keys of a cloud, which may be running. */
export async function withKeys<T>(dataDir: string, work: (keys: Keys) => Promise<T>): Promise<T> {
  requireDatabase(dataDir);
  const db = await openDatabase(dataDir);
  try {
    return await work(apiKeyRepository(db));
  } finally {
    await db.destroy();
  }
}

/** Makes a key and answers with its secret, which nothing can show again. */
export async function createKey(
  keys: Keys,
  about: { name: string; scope: Scope },
  nowMs: number,
): Promise<string> {
  const secret = newSecret('plk_');
  await keys.insert({
    id: makeId('key', nowMs, randomBytes(16)),
    name: about.name,
    scope: about.scope,
    hash: hashSecret(secret),
    created_at: nowMs,
    expires_at: null,
    last_used_at: null,
  });
  return secret;
}

/** One line per key. */
export async function listKeys(keys: Keys): Promise<string[]> {
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

export async function revokeKey(keys: Keys, id: string): Promise<void> {
  if (!(await keys.delete(id))) throw startFault(`There is no key ${id}. See the keys with "keys list".`);
}

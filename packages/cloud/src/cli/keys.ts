import { randomBytes } from 'node:crypto';
import { makeId } from '@placard/protocol';
import type { Scope } from '@placard/protocol/api';
import { diffSnapshots } from '../domain/audit-changes.ts';
import type { AuditSnapshot } from '../domain/audit-changes.ts';
import { StartupError } from '../domain/startup-error.ts';
import { toIso, toIsoOrNull } from '../domain/iso-time.ts';
import { hashSecret, generateSecret, lastFour } from '../http-server/secrets.ts';
import { apiKeyRepository } from '../database/api-keys.ts';
import { auditRepository } from '../database/audit-log.ts';
import type { Row } from '../database/schema.ts';
import { commandLineActor } from './actor.ts';
import { inCloudDatabase } from './cloud-database.ts';
import type { DatabaseLocation } from './cloud-database.ts';

export interface KeyRepositories {
  keys: ReturnType<typeof apiKeyRepository>;
  audit: ReturnType<typeof auditRepository>;
}

/** Opens the keys of a cloud, which may be running, in one transaction. */
export const withKeyRepositories = <T>(
  location: DatabaseLocation,
  work: (repositories: KeyRepositories) => Promise<T>,
): Promise<T> =>
  inCloudDatabase(location, { migrates: false }, (trx) =>
    work({ keys: apiKeyRepository(trx), audit: auditRepository(trx) }),
  );

/** Creates a key and returns its secret, which cannot be shown again. */
export async function createKey(
  { keys, audit }: KeyRepositories,
  input: { name: string; scope: Scope },
  nowMs: number,
): Promise<string> {
  const secret = generateSecret('plk_');
  const row = {
    id: makeId('key', nowMs, randomBytes(16)),
    name: input.name,
    scope: input.scope,
    hash: hashSecret(secret),
    last_four: lastFour(secret),
    created_at: nowMs,
    expires_at: null,
    last_used_at: null,
  };
  await keys.insert(row);
  await audit.append(toAuditEntry('api_key.created', row, diffSnapshots(null, toSnapshot(row)), nowMs));
  return secret;
}

export async function listKeys({ keys }: KeyRepositories): Promise<string[]> {
  const lines: string[] = [];
  for (let page = 1; ; page++) {
    const { rows } = await keys.list({ page, limit: 100 });
    for (const row of rows) {
      const used = row.last_used_at === null ? 'never used' : `used ${toIso(row.last_used_at)}`;
      const expiry = row.expires_at === null ? '' : `, expires ${toIso(row.expires_at)}`;
      const ending = row.last_four === null ? '' : `ends with ${row.last_four}, `;
      lines.push(`${row.id}  ${row.scope.padEnd(5)}  ${row.name}  (${ending}${used}${expiry})`);
    }
    if (rows.length < 100) {
      return lines;
    }
  }
}

export async function revokeKey({ keys, audit }: KeyRepositories, id: string, nowMs: number): Promise<void> {
  const row = await keys.find(id);
  if (!row) {
    throw new StartupError(`There is no key ${id}. See the keys with "keys list".`);
  }
  await keys.delete(id);
  await audit.append(toAuditEntry('api_key.revoked', row, diffSnapshots(toSnapshot(row), null), nowMs));
}

const toSnapshot = ({ name, scope, expires_at }: Row<'api_keys'>): AuditSnapshot => ({
  name,
  fields: { name: { value: name }, scope: { value: scope }, expires_at: { value: toIsoOrNull(expires_at) } },
});

const toAuditEntry = (
  action: string,
  { id, name }: Row<'api_keys'>,
  changes: ReturnType<typeof diffSnapshots>,
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

import type { IdKind } from '@placard/protocol';
import { diffSnapshots } from './domain/audit-changes.ts';
import { hashSecret, generateSecret, lastFour } from './http-server/secrets.ts';
import type { CloudDatabase } from './database/cloud-database.ts';

/**
 * Creates the organization and its first Admin key if missing. Returns the secret of that key, given or generated;
 * null if there already are keys.
 */
export async function initializeOrganization(
  database: CloudDatabase,
  givenKey: string | undefined,
  newId: (kind: IdKind) => string,
  nowMs: number,
): Promise<string | null> {
  // Checked without a transaction first, so that a start on a full disk writes nothing.
  if ((await database.organization.find()) && (await database.apiKeys.count()) > 0) {
    return null;
  }
  return database.transaction(async (tx) => {
    if (!(await tx.organization.find())) {
      await tx.organization.create('My organization', nowMs);
    }
    if ((await tx.apiKeys.count()) > 0) {
      return null;
    }
    const key = givenKey ?? generateSecret('plk_');
    const id = newId('key');
    const name = 'First Admin key';
    await tx.apiKeys.insert({
      id,
      name,
      scope: 'Admin',
      hash: hashSecret(key),
      // That of a key that a person chose would help to guess it.
      last_four: givenKey === undefined ? lastFour(key) : null,
      created_at: nowMs,
      expires_at: null,
      last_used_at: null,
    });
    await tx.audit.append({
      id: newId('audit'),
      created_at: nowMs,
      actor_type: 'system',
      actor_id: null,
      actor_name: 'first start',
      address: null,
      request_id: null,
      action: 'api_key.created',
      resource_type: 'api_key',
      resource_id: id,
      resource_name: name,
      changes: diffSnapshots(null, { name, fields: { name: { value: name }, scope: { value: 'Admin' } } }),
    });
    return key;
  });
}

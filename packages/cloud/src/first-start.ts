import type { IdKind } from '@placard/protocol';
import { changesBetween } from './domain/audit-changes.ts';
import { hashSecret, newSecret } from './http/secrets.ts';
import type { Store } from './store/store.ts';

/**
 * Makes the organization and its first Admin key where there is none yet. Answers with the secret of that key, the given
 * one or a new one; null when there are keys already.
 */
export async function firstStart(
  store: Store,
  given: string | undefined,
  newId: (kind: IdKind) => string,
  nowMs: number,
): Promise<string | null> {
  // Usually there is nothing to write, which also a full disk has room for.
  if ((await store.organization.find()) && (await store.apiKeys.count()) > 0) return null;
  return store.transaction(async (work) => {
    if (!(await work.organization.find())) await work.organization.create('My organization', nowMs);
    if ((await work.apiKeys.count()) > 0) return null;
    const key = given ?? newSecret('plk_');
    const id = newId('key');
    const name = 'First Admin key';
    await work.apiKeys.insert({
      id,
      name,
      scope: 'Admin',
      hash: hashSecret(key),
      created_at: nowMs,
      expires_at: null,
      last_used_at: null,
    });
    await work.audit.append({
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
      changes: changesBetween(null, { name, fields: { name: { value: name }, scope: { value: 'Admin' } } }),
    });
    return key;
  });
}

import type { IdKind } from '@placard/protocol';
import { diffSnapshots } from './domain/audit-changes.ts';
import { hashSecret, generateSecret, lastFour } from './http-server/secrets.ts';
import { FIRST_START } from './database/invitations.ts';
import type { CloudDatabase, Transaction } from './database/cloud-database.ts';
import { FIRST_ADMIN_LINK_MS, newLinkToken } from './people/links.ts';

export interface FirstStart {
  /** Secret of the first Admin key, given or generated; null if there already are keys. */
  adminKey: string | null;
  /** For the link with which the first Admin signs up; null if there was an organization. */
  invitationToken: string | null;
}

/** Creates the organization, its first Admin key, and an invitation for its first Admin, if missing. */
export async function initializeOrganization(
  database: CloudDatabase,
  givenKey: string | undefined,
  newId: (kind: IdKind) => string,
  nowMs: number,
): Promise<FirstStart> {
  // Checked without a transaction first, so that a start on a full disk writes nothing.
  if ((await database.organization.find()) && (await database.apiKeys.count()) > 0) {
    return { adminKey: null, invitationToken: null };
  }
  return database.transaction(async (tx) => {
    let invitationToken: string | null = null;
    if (!(await tx.organization.find())) {
      await tx.organization.create('My organization', nowMs);
      invitationToken = await inviteFirstAdmin(tx, newId, nowMs);
    }
    if ((await tx.apiKeys.count()) > 0) {
      return { adminKey: null, invitationToken };
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
    return { adminKey: key, invitationToken };
  });
}

async function inviteFirstAdmin(
  tx: Pick<Transaction, 'invitations'>,
  newId: (kind: IdKind) => string,
  nowMs: number,
): Promise<string> {
  const { token, hash } = newLinkToken();
  await tx.invitations.insert({
    id: newId('invitation'),
    token_hash: hash,
    email: null,
    role: 'Admin',
    stores: null,
    created_by: FIRST_START,
    created_at: nowMs,
    expires_at: nowMs + FIRST_ADMIN_LINK_MS,
    accepted_at: null,
    accepted_by: null,
    revoked_at: null,
  });
  return token;
}

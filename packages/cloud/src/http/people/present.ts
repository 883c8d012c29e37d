import type { Invitation, Session, User } from '@placard/protocol/api';
import type { Row } from '../../database/schema.ts';
import type { UserRow } from '../../database/users.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';
import type { Actor } from '../../http-server/operation-route.ts';
import type { KeyUsage } from '../../http-server/key-usage.ts';

export const presentUser = (row: UserRow): User => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  stores: row.stores,
  disabled: row.disabled_at !== null,
  has_second_factor: row.has_totp === 1,
  last_signed_in_at: toIsoOrNull(row.last_signed_in_at),
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export const presentSession = (
  row: Row<'sessions'>,
  { actor, keyUsage }: { actor: Actor | null; keyUsage: Pick<KeyUsage, 'lastUsedMs'> },
): Session => ({
  id: row.id,
  address: row.address,
  user_agent: row.user_agent,
  created_at: toIso(row.created_at),
  last_used_at: toIso(keyUsage.lastUsedMs(row.id) ?? row.last_used_at),
  expires_at: toIso(row.expires_at),
  is_current: row.id === actor?.session?.id,
});

export const presentInvitation = (row: Row<'invitations'>): Invitation => ({
  id: row.id,
  email: row.email,
  role: row.role,
  stores: row.stores === null ? null : JSON.parse(row.stores),
  created_by: row.created_by,
  created_at: toIso(row.created_at),
  expires_at: toIso(row.expires_at),
});

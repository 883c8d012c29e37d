import type { Role, Scope } from '@placard/protocol/api';

const RANK: Record<Scope, number> = { Read: 0, Write: 1, Admin: 2 };

/** Requests per minute and device; a socket handshake counts as one. */
export const DEVICE_REQUESTS_PER_MINUTE = 120;

/** Requests per minute and API key. */
export const REQUESTS_PER_MINUTE: Record<Scope, number> = { Read: 100, Write: 30, Admin: 30 };

/** Requests per minute and session of a person. */
export const SESSION_REQUESTS_PER_MINUTE = 600;

/** Requests per minute and API key or session that continue uploads; they do not count with others. */
export const TRANSFER_REQUESTS_PER_MINUTE = 600;

/** Whether a caller with the granted scope may do what requires the needed scope. */
export const scopeAllows = (granted: Scope, needed: Scope): boolean => RANK[granted] >= RANK[needed];

export const SCOPE_OF_ROLE: Readonly<Record<Role, Scope>> = {
  Viewer: 'Read',
  Editor: 'Write',
  Admin: 'Admin',
};
export const ROLE_OF_SCOPE: Readonly<Record<Scope, Role>> = {
  Read: 'Viewer',
  Write: 'Editor',
  Admin: 'Admin',
};

import type { Scope } from '@placard/protocol/api';

const RANK: Record<Scope, number> = { Read: 0, Write: 1, Admin: 2 };

/** Requests per minute and device; a socket handshake counts as one. */
export const DEVICE_REQUESTS_PER_MINUTE = 120;

/** Requests per minute and API key. */
export const REQUESTS_PER_MINUTE: Record<Scope, number> = { Read: 100, Write: 30, Admin: 30 };

/** Whether a key with the granted scope may do what requires the needed scope. */
export const scopeAllows = (granted: Scope, needed: Scope): boolean => RANK[granted] >= RANK[needed];

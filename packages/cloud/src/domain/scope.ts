import type { Scope } from '@placard/protocol/api';

const RANK: Record<Scope, number> = { Read: 0, Write: 1, Admin: 2 };

/** Requests a minute. */
export const RATE_LIMITS: Record<Scope, number> = { Read: 100, Write: 30, Admin: 30 };

/** May a key of this scope do what needs that scope? */
export const includes = (held: Scope, needed: Scope): boolean => RANK[held] >= RANK[needed];

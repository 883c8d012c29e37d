import type { User } from '@placard/client';

export type Role = User['role'];

export const ROLES: readonly Role[] = ['Viewer', 'Editor', 'Admin'];

/** The role of this name; the one that may do least for any other text. */
export const roleOf = (name: string): Role => ROLES.find((role) => role === name) ?? 'Viewer';

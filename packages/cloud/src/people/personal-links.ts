import type { SignInTables } from '../database/sign-in-tables.ts';
import { hashLinkToken, newLinkToken } from './links.ts';

/** A kind of link for one person, who can use it once. */
export interface PersonalLinkKind {
  /** Begins its identifier in `sign_in_steps`. */
  purpose: string;
  /** The page of the console that it leads to. */
  path: string;
  lifetimeMs: number;
}

/** With it a person chooses a new password. */
export const RESET_LINK: PersonalLinkKind = {
  purpose: 'reset',
  path: '/reset-password',
  lifetimeMs: 24 * 3_600_000,
};

/** With it a person signs in without password and code, so it lives no longer than it takes to open it. */
export const SIGN_IN_LINK: PersonalLinkKind = {
  purpose: 'sign-in',
  path: '/sign-in-link',
  lifetimeMs: 15 * 60_000,
};

const identifierOf = ({ purpose }: PersonalLinkKind, token: string): string =>
  `${purpose} ${hashLinkToken(token)}`;

/** Stores a new link; only its hash. */
export async function createPersonalLink(
  tables: Pick<SignInTables, 'insert'>,
  kind: PersonalLinkKind,
  { id, userId, publicUrl, nowMs }: { id: string; userId: string; publicUrl: string; nowMs: number },
): Promise<{ url: string; expiresMs: number }> {
  const { token } = newLinkToken();
  const expiresMs = nowMs + kind.lifetimeMs;
  await tables.insert('sign_in_steps', {
    id,
    identifier: identifierOf(kind, token),
    value: userId,
    expires_at: expiresMs,
    created_at: nowMs,
    updated_at: nowMs,
  });
  return { url: `${publicUrl}${kind.path}#${token}`, expiresMs };
}

/** Whom a link is for; null when it was used or has expired, or was never made. */
export async function findPersonalLink(
  tables: Pick<SignInTables, 'select'>,
  kind: PersonalLinkKind,
  { token, nowMs }: { token: string; nowMs: number },
): Promise<{ userId: string; expiresMs: number } | null> {
  const [step] = await tables.select('sign_in_steps', {
    where: [
      { column: 'identifier', operator: '=', value: identifierOf(kind, token) },
      { column: 'expires_at', operator: '>', value: nowMs },
    ],
    limit: 1,
  });
  return step ? { userId: String(step['value']), expiresMs: Number(step['expires_at']) } : null;
}

/** Uses a link up. */
export const deletePersonalLink = (
  tables: Pick<SignInTables, 'delete'>,
  kind: PersonalLinkKind,
  token: string,
): Promise<number> =>
  tables.delete('sign_in_steps', [{ column: 'identifier', operator: '=', value: identifierOf(kind, token) }]);

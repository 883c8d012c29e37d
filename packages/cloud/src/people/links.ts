import { createHash, randomBytes } from 'node:crypto';

/** How long links work. */
export const FIRST_ADMIN_LINK_MS = 24 * 3_600_000;
export const INVITATION_MS = 7 * 24 * 3_600_000;

/** A new secret for a link, and what is stored of it. */
export function newLinkToken(): { token: string; hash: string } {
  const token = randomBytes(30).toString('base64url');
  return { token, hash: hashLinkToken(token) };
}

export const hashLinkToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Behind `#`, so that no server and no other page gets to see it. */
export const invitationUrl = (publicUrl: string, token: string): string => `${publicUrl}/invitation#${token}`;

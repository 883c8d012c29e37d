import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { CloudApi } from './cloud-api.ts';

/** The person that `npm start` makes, so that somebody new signs in with one click. */
export const DEMO_ADMIN = { name: 'Admin', email: 'admin@example.com' };

const person = z.object({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  disabled: z.boolean(),
});

/**
 * Makes the Admin of the demo if nobody has signed up yet. Returns whether a link may sign in as this Admin: not when it is
 * disabled or gone, nor when there are other Admins, who have their own ways to sign in.
 */
export async function ensureDemoAdmin(api: CloudApi): Promise<boolean> {
  const people = await api.get(z.array(person), '/v1/users?limit=100');
  if (people.length === 0) {
    await signUp(api);
    return true;
  }
  const admins = people.filter(({ role, disabled }) => role === 'Admin' && !disabled);
  return admins.length === 1 && admins[0]?.email === DEMO_ADMIN.email;
}

/** Nobody knows the password: links sign in, and `users reset-password` makes a new one. */
async function signUp(api: CloudApi): Promise<void> {
  const { name, email } = DEMO_ADMIN;
  const { url } = await api.post(z.object({ url: z.string() }), '/v1/invitations', { email, role: 'Admin' });
  await api.post(z.unknown(), '/v1/auth/accept-invitation', {
    token: new URL(url).hash.slice(1),
    name,
    password: randomBytes(24).toString('base64url'),
  });
  // Signing up has begun a session that no browser has.
  const [made] = await api.get(z.array(person), `/v1/users?search=${encodeURIComponent(email)}`);
  if (made) {
    await api.remove(`/v1/users/${made.id}/sessions`);
  }
}

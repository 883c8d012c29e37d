import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { name } from './fields.ts';
import { operationsOf, role } from './operation.ts';
import { email } from './people.ts';

/** A password that is being chosen; an existing one is only compared. */
export const newPassword = z.string().min(10).max(128).meta({ description: '10–128 characters' });
export const password = z.string().min(1).max(128);

/** What a browser gives to, and gets from, the Web Authentication API. */
export const webAuthn = z.record(z.string().max(100), z.unknown()).meta({
  description: 'JSON of the Web Authentication API (`toJSON`, `parse…FromJSON`)',
});

const linkToken = z.string().min(1).max(200).meta({ description: 'The part of the link after `#`' });

const signedIn = z
  .object({
    /** True: call `verifySecondFactor` next; there is no session yet. */
    second_factor_needed: z.boolean(),
  })
  .meta({ id: 'SignedIn' });

const define = operationsOf('Authentication');
const COOKIE =
  'Sets the cookie of the session (HttpOnly, SameSite=Strict). A session ends after 30 days, or when it is not used for ' +
  '7 days.';
const exampleToken = 'h3JkX0pYq8Zt5sVw2nBd7cRf9gTm1aLe4uKo6iPy';

export const signInOperations = {
  getSignInMethods: define('getSignInMethods', 'GET', '/v1/auth/methods', {
    summary: 'How people can sign in to this cloud',
    access: 'Public',
    data: z.object({
      password: z.boolean(),
      passkeys: z.boolean(),
      company: z
        .object({ name: z.string() })
        .nullable()
        .meta({ description: 'The account of a company (OpenID Connect); null if none is configured' }),
    }),
    example: { data: { password: true, passkeys: true, company: { name: 'Example Ltd' } } },
  }),
  signIn: define('signIn', 'POST', '/v1/auth/sign-in', {
    setsCookies: true,
    summary: 'Sign in with e-mail address and password',
    description:
      `${COOKIE} The answer is the same whether the address, the password or neither is right for an account that is ` +
      'disabled. At most 20 attempts in 15 minutes per account, 100 per address. `remember` false: the cookie lasts as ' +
      'long as the browser is open, a day at most.',
    access: 'Public',
    body: z.strictObject({ email, password, remember: z.boolean().default(true) }),
    data: signedIn,
    errors: ['SIGN_IN_FAILED'],
    example: {
      body: { email: 'ada@example.com', password: 'correct horse battery' },
      data: { second_factor_needed: false },
    },
  }),
  verifySecondFactor: define('verifySecondFactor', 'POST', '/v1/auth/second-factor', {
    setsCookies: true,
    summary: 'Finish signing in with a code of the phone, or with a backup code',
    description: `Within 10 minutes after \`signIn\`, and with its cookie. A backup code works once. ${COOKIE}`,
    access: 'Public',
    body: z.strictObject({
      code: z.string().trim().min(6).max(40),
      is_backup_code: z.boolean().default(false),
    }),
    data: signedIn,
    errors: ['SIGN_IN_FAILED'],
    example: { body: { code: '492039' }, data: { second_factor_needed: false } },
  }),
  getPasskeyChallenge: define('getPasskeyChallenge', 'POST', '/v1/auth/passkey/challenge', {
    setsCookies: true,
    summary: 'What the browser needs to sign in with a passkey',
    access: 'Public',
    data: webAuthn,
    example: { data: { challenge: 'kH0c…', rpId: 'signage.example.com', userVerification: 'required' } },
  }),
  signInWithPasskey: define('signInWithPasskey', 'POST', '/v1/auth/passkey', {
    setsCookies: true,
    summary: 'Sign in with a passkey',
    description: `Within 5 minutes after \`getPasskeyChallenge\`. Needs no further code. ${COOKIE}`,
    access: 'Public',
    body: z.strictObject({ response: webAuthn }),
    data: signedIn,
    errors: ['SIGN_IN_FAILED'],
    example: { body: { response: { id: 'x1Yb…' } }, data: { second_factor_needed: false } },
  }),
  startCompanySignIn: define('startCompanySignIn', 'POST', '/v1/auth/company', {
    setsCookies: true,
    summary: 'Begin to sign in with an account of the company',
    description:
      'Send the browser to `url`. It comes back to `/v1/auth/callback/company`, which leads to `/` when the person is ' +
      'signed in, and to `/sign-in#company-refused` otherwise. Known are people with the same verified e-mail address, those with ' +
      'an invitation for it, and everybody if the cloud was started with `--oidc-role`.',
    access: 'Public',
    data: z.object({ url: z.url() }),
    errors: ['SIGN_IN_FAILED', 'CONFLICT'],
    example: { data: { url: 'https://login.example.com/authorize?client_id=placard&state=k3J9' } },
  }),
  signOut: define('signOut', 'POST', '/v1/auth/sign-out', {
    setsCookies: true,
    summary: 'End the session of this browser',
    access: 'Public',
    data: z.object({ signed_out: z.literal(true) }),
    example: { data: { signed_out: true } },
  }),
  readInvitation: define('readInvitation', 'POST', '/v1/auth/invitation', {
    summary: 'What an invitation is for',
    access: 'Public',
    body: z.strictObject({ token: linkToken }),
    data: z.object({
      organization: z.string(),
      email: z.string().nullable(),
      role,
      /** Names; null for all stores. */
      stores: z.array(z.string()).nullable(),
      expires_at: timestamp,
    }),
    errors: ['LINK_EXPIRED'],
    example: {
      body: { token: exampleToken },
      data: {
        organization: 'Corner Bakery',
        email: 'grace@example.com',
        role: 'Editor',
        stores: ['Old town'],
        expires_at: '2026-11-27T08:00:00.000Z',
      },
    },
  }),
  acceptInvitation: define('acceptInvitation', 'POST', '/v1/auth/accept-invitation', {
    setsCookies: true,
    summary: 'Sign up with an invitation, and sign in',
    description: `The invitation can be used once. \`email\` may be left out if the invitation names it. ${COOKIE}`,
    access: 'Public',
    body: z.strictObject({ token: linkToken, name, email: email.optional(), password: newPassword }),
    status: 201,
    data: signedIn,
    errors: ['LINK_EXPIRED', 'SIGN_IN_FAILED'],
    example: {
      body: { token: exampleToken, name: 'Grace Hopper', password: 'correct horse battery' },
      data: { second_factor_needed: false },
    },
  }),
  readSignInLink: define('readSignInLink', 'POST', '/v1/auth/sign-in-link', {
    summary: 'Whom a sign-in link signs in',
    description: 'Does not use the link up.',
    access: 'Public',
    body: z.strictObject({ token: linkToken }),
    data: z.object({ name: z.string(), email: z.string(), expires_at: timestamp }),
    errors: ['LINK_EXPIRED'],
    example: {
      body: { token: exampleToken },
      data: { name: 'Grace Hopper', email: 'grace@example.com', expires_at: '2026-11-20T08:15:00.000Z' },
    },
  }),
  signInWithLink: define('signInWithLink', 'POST', '/v1/auth/sign-in-with-link', {
    setsCookies: true,
    summary: 'Sign in with a link that was made at the command line',
    description: `The link can be used once, within 15 minutes. Needs no password and no code. ${COOKIE}`,
    access: 'Public',
    body: z.strictObject({ token: linkToken }),
    data: signedIn,
    errors: ['LINK_EXPIRED', 'SIGN_IN_FAILED'],
    example: { body: { token: exampleToken }, data: { second_factor_needed: false } },
  }),
  resetPassword: define('resetPassword', 'POST', '/v1/auth/reset-password', {
    setsCookies: true,
    summary: 'Choose a new password with a link; ends all sessions of the person',
    access: 'Public',
    body: z.strictObject({ token: linkToken, password: newPassword }),
    data: z.object({ changed: z.literal(true) }),
    errors: ['LINK_EXPIRED'],
    example: { body: { token: exampleToken, password: 'correct horse battery' }, data: { changed: true } },
  }),
};

import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { deletionResult, idParams, name } from './fields.ts';
import { operationsOf, role, scope } from './operation.ts';
import { exampleSession, exampleUser, session, user } from './people.ts';
import { newPassword, password, webAuthn } from './sign-in.ts';

const ownAccount = z
  .object({
    /** `user`, or `api_key` for a request with a key. More kinds may be added. */
    type: z.string(),
    id: z.string(),
    name: z.string(),
    /** What the caller may do. */
    scope,
    /** Of a person; null for a key. */
    role: role.nullable(),
    email: z.string().nullable(),
    /** The stores that the person is bound to; null for all. */
    stores: z.array(z.object({ id: z.string(), name: z.string() })).nullable(),
    /** Zone of the organization: that of schedules, and in which people are shown times. */
    timezone: z.string(),
    has_second_factor: z.boolean(),
    session_expires_at: timestamp.nullable(),
  })
  .meta({ id: 'OwnAccount' });
export type OwnAccount = z.infer<typeof ownAccount>;

const passkey = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    /** True when it is kept in an account of a company such as Apple or Google, and not on one device alone. */
    is_synced: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'Passkey' });
export type Passkey = z.infer<typeof passkey>;

const define = operationsOf('Own account');
const changed = z.object({ id: z.string() });
const exampleChanged = { id: exampleUser.id };
const examplePasskey = {
  id: 'pky_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Ada’s phone',
  is_synced: true,
  created_at: '2026-11-20T08:00:00.000Z',
};

export const ownAccountOperations = {
  getOwnAccount: define('getOwnAccount', 'GET', '/v1/me', {
    summary: 'Who the caller is, and what they may do',
    access: 'Read',
    data: ownAccount,
    example: {
      data: {
        type: 'user',
        id: exampleUser.id,
        name: exampleUser.name,
        scope: 'Write',
        role: 'Editor',
        email: exampleUser.email,
        timezone: 'Europe/Berlin',
        stores: null,
        has_second_factor: true,
        session_expires_at: '2026-12-20T08:00:00.000Z',
      },
    },
  }),
  updateOwnAccount: define('updateOwnAccount', 'PATCH', '/v1/me', {
    summary: 'Change the own name',
    access: 'Person',
    body: z.strictObject({ name }),
    data: user,
    example: { body: { name: 'Ada Lovelace' }, data: exampleUser },
  }),
  changePassword: define('changePassword', 'POST', '/v1/me/password', {
    setsCookies: true,
    summary: 'Change the own password; ends all other sessions',
    access: 'Person',
    body: z.strictObject({ current_password: password, password: newPassword }),
    data: changed,
    errors: ['SIGN_IN_FAILED'],
    example: {
      body: { current_password: 'correct horse battery', password: 'staple correct horse' },
      data: exampleChanged,
    },
  }),
  listOwnSessions: define('listOwnSessions', 'GET', '/v1/me/sessions', {
    summary: 'Where the person is signed in, newest first',
    access: 'Person',
    data: z.array(session),
    example: { data: [exampleSession] },
  }),
  endOwnSession: define('endOwnSession', 'DELETE', '/v1/me/sessions/{id}', {
    summary: 'End one of the own sessions; the next request with it is rejected',
    access: 'Person',
    params: idParams,
    data: deletionResult,
    errors: ['SESSION_NOT_FOUND'],
    example: { data: { id: exampleSession.id, deleted: true } },
  }),
  startSecondFactor: define('startSecondFactor', 'POST', '/v1/me/second-factor', {
    summary: 'Prepare codes of the phone (TOTP) as a second factor',
    description:
      'Show `uri` as a QR code for an authenticator app, and `backup_codes`, which are returned only here. Signing in ' +
      'needs a code once `confirmSecondFactor` has seen a right one.',
    access: 'Person',
    body: z.strictObject({ password }),
    status: 201,
    data: z.object({ uri: z.string(), backup_codes: z.array(z.string()) }),
    errors: ['SIGN_IN_FAILED'],
    example: {
      body: { password: 'correct horse battery' },
      data: { uri: 'otpauth://totp/Placard:ada%40example.com?secret=…', backup_codes: ['4fT2q-9xKbC'] },
    },
  }),
  confirmSecondFactor: define('confirmSecondFactor', 'POST', '/v1/me/second-factor/confirm', {
    setsCookies: true,
    summary: 'Switch the second factor on with a first code of the phone',
    access: 'Person',
    body: z.strictObject({ code: z.string().trim().min(6).max(10) }),
    data: changed,
    errors: ['SIGN_IN_FAILED'],
    example: { body: { code: '492039' }, data: exampleChanged },
  }),
  stopSecondFactor: define('stopSecondFactor', 'POST', '/v1/me/second-factor/remove', {
    setsCookies: true,
    summary: 'Sign in without a code again',
    access: 'Person',
    body: z.strictObject({ password }),
    data: changed,
    errors: ['SIGN_IN_FAILED'],
    example: { body: { password: 'correct horse battery' }, data: exampleChanged },
  }),
  listPasskeys: define('listPasskeys', 'GET', '/v1/me/passkeys', {
    summary: 'The own passkeys',
    access: 'Person',
    data: z.array(passkey),
    example: { data: [examplePasskey] },
  }),
  startPasskey: define('startPasskey', 'POST', '/v1/me/passkeys/challenge', {
    setsCookies: true,
    summary: 'What the browser needs to make a passkey',
    access: 'Person',
    body: z.strictObject({ password }),
    data: webAuthn,
    errors: ['SIGN_IN_FAILED'],
    example: { body: { password: 'correct horse battery' }, data: { challenge: 'kH0c…' } },
  }),
  addPasskey: define('addPasskey', 'POST', '/v1/me/passkeys', {
    setsCookies: true,
    summary: 'Add the passkey that the browser made',
    description: 'Within 5 minutes after `startPasskey`.',
    access: 'Person',
    body: z.strictObject({ name, response: webAuthn }),
    status: 201,
    data: passkey,
    errors: ['SIGN_IN_FAILED'],
    example: { body: { name: examplePasskey.name, response: { id: 'x1Yb…' } }, data: examplePasskey },
  }),
  removePasskey: define('removePasskey', 'DELETE', '/v1/me/passkeys/{id}', {
    summary: 'Remove one of the own passkeys',
    access: 'Person',
    params: idParams,
    data: deletionResult,
    errors: ['PASSKEY_NOT_FOUND'],
    example: { data: { id: examplePasskey.id, deleted: true } },
  }),
};

import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import {
  deletionResult,
  exampleTimestamps,
  idParams,
  name,
  reference,
  search,
  timestamps,
} from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf, role } from './operation.ts';

/** Kept in lower case. */
export const email = z
  .string()
  .trim()
  .max(254)
  .pipe(z.email())
  .overwrite((text) => text.toLowerCase())
  .meta({ description: 'E-mail address', example: 'ada@example.com' });

const stores = z
  .array(reference)
  .max(1000)
  .overwrite((ids) => [...new Set(ids)])
  .nullable()
  .meta({
    description: 'Ids of the stores that the person is bound to; null for all. Admins are never bound',
  });

export const user = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    role,
    /** Ids of the stores that the person is bound to; null for all. */
    stores: z.array(z.string()).nullable(),
    /** A disabled person cannot sign in, and has no session. */
    disabled: z.boolean(),
    has_second_factor: z.boolean(),
    last_signed_in_at: timestamp.nullable(),
    ...timestamps,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof user>;

export const session = z
  .object({
    id: z.string(),
    /** Of the browser, when it signed in. */
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    created_at: timestamp,
    last_used_at: timestamp,
    /** At the latest; a session that is not used for a week ends before. */
    expires_at: timestamp,
    /** The session that this request came with. */
    is_current: z.boolean(),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof session>;

export const invitation = z
  .object({
    id: z.string(),
    /** Only this address can be signed up; null for any. */
    email: z.string().nullable(),
    role,
    stores: z.array(z.string()).nullable(),
    /** Name of the person or key that made it. */
    created_by: z.string(),
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof invitation>;

const invitationWithUrl = invitation
  .extend({ url: z.url().meta({ description: 'The link, which works once; returned only here' }) })
  .meta({ id: 'InvitationWithUrl' });

const resetLink = z.object({
  id: z.string(),
  url: z.url().meta({ description: 'Where the person chooses a new password; works once' }),
  expires_at: timestamp,
});

const sessionsEnded = z.object({ id: z.string(), ended: z.int() });
const sessionParams = idParams.extend({ session_id: z.string().max(200) });

const define = operationsOf('People');
export const exampleUser = {
  id: 'usr_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'Editor',
  stores: null,
  disabled: false,
  has_second_factor: true,
  last_signed_in_at: '2026-11-20T08:00:00.000Z',
  ...exampleTimestamps,
};
export const exampleSession = {
  id: 'ses_01kzgm8q2c7d0vqk3m4a5b6c7d',
  address: '203.0.113.7',
  user_agent: 'Mozilla/5.0',
  created_at: '2026-11-20T08:00:00.000Z',
  last_used_at: '2026-11-20T09:30:00.000Z',
  expires_at: '2026-12-20T08:00:00.000Z',
  is_current: false,
};
const exampleInvitation = {
  id: 'inv_01kzgm8q2c7d0vqk3m4a5b6c7d',
  email: 'grace@example.com',
  role: 'Editor',
  stores: ['store_01kzgm8q2c7d0vqk3m4a5b6c7d'],
  created_by: 'Ada Lovelace',
  created_at: '2026-11-20T08:00:00.000Z',
  expires_at: '2026-11-27T08:00:00.000Z',
};

export const peopleOperations = {
  listUsers: define('listUsers', 'GET', '/v1/users', {
    summary: 'List the people who can sign in',
    description: '`search` finds a part of the name or of the e-mail address.',
    access: 'Admin',
    query: z.strictObject({ ...listPaging, search: search.optional() }).refine(...pageOrCursor),
    data: z.array(user),
    list: 'page or cursor',
    example: { data: [exampleUser] },
  }),
  getUser: define('getUser', 'GET', '/v1/users/{id}', {
    otherStatuses: [304],
    summary: 'One person',
    access: 'Admin',
    params: idParams,
    data: user,
    errors: ['USER_NOT_FOUND'],
    example: { data: exampleUser },
  }),
  updateUser: define('updateUser', 'PATCH', '/v1/users/{id}', {
    summary: 'Change the name, role or stores of a person, or disable them',
    description:
      'Takes effect with the next request of the person; disabling also ends all sessions. Nobody changes their own role ' +
      'or disables themselves, and one Admin who can sign in always remains: 409 otherwise. API keys that the person has ' +
      'made stay valid.',
    access: 'Admin',
    params: idParams,
    body: z.strictObject({
      name: name.optional(),
      role: role.optional(),
      stores: stores.optional(),
      disabled: z.boolean().optional(),
    }),
    data: user,
    errors: ['USER_NOT_FOUND', 'STORE_NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    example: { body: { role: 'Viewer' }, data: exampleUser },
  }),
  deleteUser: define('deleteUser', 'DELETE', '/v1/users/{id}', {
    summary: 'Remove a person; their next request is rejected',
    description:
      'What they did stays in the audit log. 409 for oneself and for the last Admin who can sign in.',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['USER_NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
    example: { data: { id: exampleUser.id, deleted: true } },
  }),
  createResetLink: define('createResetLink', 'POST', '/v1/users/{id}/reset-link', {
    summary: 'Make a link with which a person chooses a new password',
    description:
      'For a person who has lost access; give it to them in person. It works once, for 24 hours, and its use ends all ' +
      'sessions of the person. A second factor stays.',
    access: 'Admin',
    params: idParams,
    status: 201,
    data: resetLink,
    errors: ['USER_NOT_FOUND'],
    example: {
      data: {
        id: exampleUser.id,
        url: 'https://signage.example.com/reset-password#q8Zt5sVw2nBd7cRf9gTm1aLe4uKo6iPyh3JkX0pY',
        expires_at: '2026-11-21T08:00:00.000Z',
      },
    },
  }),
  removeSecondFactor: define('removeSecondFactor', 'DELETE', '/v1/users/{id}/second-factor', {
    summary: 'Let a person who has lost their phone sign in without a code',
    access: 'Admin',
    params: idParams,
    data: user,
    errors: ['USER_NOT_FOUND'],
    example: { data: exampleUser },
  }),
  listUserSessions: define('listUserSessions', 'GET', '/v1/users/{id}/sessions', {
    summary: 'Where a person is signed in, newest first',
    access: 'Admin',
    params: idParams,
    data: z.array(session),
    errors: ['USER_NOT_FOUND'],
    example: { data: [exampleSession] },
  }),
  endUserSessions: define('endUserSessions', 'DELETE', '/v1/users/{id}/sessions', {
    summary: 'Sign a person out everywhere; returns how many sessions ended',
    access: 'Admin',
    params: idParams,
    data: sessionsEnded,
    errors: ['USER_NOT_FOUND'],
    example: { data: { id: exampleUser.id, ended: 2 } },
  }),
  endUserSession: define('endUserSession', 'DELETE', '/v1/users/{id}/sessions/{session_id}', {
    summary: 'End one session of a person; the next request with it is rejected',
    access: 'Admin',
    params: sessionParams,
    data: sessionsEnded,
    errors: ['USER_NOT_FOUND', 'SESSION_NOT_FOUND'],
    example: { data: { id: exampleUser.id, ended: 1 } },
  }),
  listInvitations: define('listInvitations', 'GET', '/v1/invitations', {
    summary: 'List the invitations that can still be accepted (never their links)',
    access: 'Admin',
    query: z.strictObject(listPaging).refine(...pageOrCursor),
    data: z.array(invitation),
    list: 'page or cursor',
    example: { data: [exampleInvitation] },
  }),
  createInvitation: define('createInvitation', 'POST', '/v1/invitations', {
    summary: 'Invite a person; the link is returned only here',
    description:
      'Whoever opens the link first signs up with this role and these stores. `expires_in`: seconds.',
    access: 'Admin',
    body: z.strictObject({
      email: email.nullish(),
      role,
      stores: stores.optional(),
      expires_in: z
        .int()
        .min(60)
        .max(30 * 86_400)
        .default(7 * 86_400),
    }),
    status: 201,
    data: invitationWithUrl,
    errors: ['STORE_NOT_FOUND', 'CONFLICT'],
    example: {
      body: { email: 'grace@example.com', role: 'Editor', stores: exampleInvitation.stores },
      data: {
        ...exampleInvitation,
        url: 'https://signage.example.com/invitation#h3JkX0pYq8Zt5sVw2nBd7cRf9gTm1aLe4uKo6iPy',
      },
    },
  }),
  deleteInvitation: define('deleteInvitation', 'DELETE', '/v1/invitations/{id}', {
    summary: 'Revoke an invitation; its link stops working',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['INVITATION_NOT_FOUND'],
    example: { data: { id: exampleInvitation.id, deleted: true } },
  }),
};

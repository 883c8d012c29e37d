import { signInOperations as operations } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import type { UserRow } from '../../database/users.ts';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { toIso } from '../../domain/iso-time.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { hashLinkToken } from '../../people/links.ts';
import {
  deletePersonalLink,
  findPersonalLink,
  RESET_LINK,
  SIGN_IN_LINK,
} from '../../people/personal-links.ts';
import type { PersonalLinkKind } from '../../people/personal-links.ts';
import type { HttpDeps } from '../deps.ts';
import { requireWithinLimits } from '../request-checks.ts';
import { requireAttemptsLeft, toBrowserRequest } from './browser.ts';
import { newValue, recordPersonAction } from './person-audit.ts';
import { createFinishSignIn } from './sign-in.ts';

/** What people do with a link that they were given: sign up, sign in, or choose a new password. */
export function linkRoutes(deps: HttpDeps): Route[] {
  const { database, people, clientAddresses, newId } = deps;
  const { throttle, loadEngine, passwords } = people;
  const finishSignIn = createFinishSignIn(deps);

  return [
    route(operations.readInvitation, async ({ body, request, nowMs }) => {
      requireAttemptsLeft(await throttle.countAddress(clientAddresses.clientOf(request.raw), nowMs));
      const invitation = await requireOpenInvitation(database, body.token, nowMs);
      const stores = storesOf(invitation);
      const names = await database.stores.findNames(stores ?? []);
      return {
        data: {
          organization: (await database.organization.get()).name,
          email: invitation.email,
          role: invitation.role,
          stores: stores && [...names.values()],
          expires_at: toIso(invitation.expires_at),
        },
      };
    }),
    route(operations.acceptInvitation, async ({ body, request, reply, nowMs }) => {
      const browser = toBrowserRequest(request, clientAddresses);
      requireAttemptsLeft(await throttle.countAddress(browser.address, nowMs));
      await requireOpenInvitation(database, body.token, nowMs);
      const hashed = await passwords.hash(body.password);
      const id = newId('user');
      const email = await database.transaction(async (tx) => {
        // Again: of several who open the link at the same time, one gets the account.
        const invitation = await requireOpenInvitation(tx, body.token, nowMs);
        const address = requireEmail(invitation, body.email);
        if (await tx.users.findByEmail(address)) {
          throw new ApiError('CONFLICT', `${address} already has an account: sign in.`);
        }
        const stores = storesOf(invitation);
        const existing = await tx.stores.findNames(stores ?? []);
        const { name } = body;
        await tx.users.insert(
          {
            id,
            name,
            email: address,
            email_verified: invitation.email === null ? 0 : 1,
            role: invitation.role,
            all_stores: stores ? 0 : 1,
            has_totp: 0,
            disabled_at: null,
            last_signed_in_at: null,
            created_at: nowMs,
            updated_at: nowMs,
          },
          stores && stores.filter((each) => existing.has(each)),
        );
        requireWithinLimits({ users: await tx.users.count() }, '');
        await tx.users.setPassword(newId('user'), { user_id: id, password: hashed }, nowMs);
        await tx.invitations.accept(invitation.id, id, nowMs);
        await tx.invitations.revokeFirst(nowMs);
        const changes = [
          newValue('name', name),
          newValue('email', address),
          newValue('role', invitation.role),
          newValue('invitation', { id: invitation.id, created_by: invitation.created_by }),
        ];
        await recordPersonAction(
          tx,
          { person: { id, name }, action: 'user.signed_up', changes },
          { request, nowMs, newId },
        );
        return address;
      });
      const engine = await loadEngine();
      const outcome = engine.signIn({ email, password: body.password, remember: true }, browser);
      const message = 'The account was made, and has been disabled since.';
      // Entries of the audit log are sorted by time: signing in comes after signing up.
      const signedInMs = nowMs + 1;
      return {
        data: await finishSignIn(outcome, message, 'invitation', { request, reply, nowMs: signedInMs }),
      };
    }),
    route(operations.readSignInLink, async ({ body: { token }, request, nowMs }) => {
      requireAttemptsLeft(await throttle.countAddress(clientAddresses.clientOf(request.raw), nowMs));
      const { person, expiresMs } = await requireSignInOwner(database, { token, nowMs });
      return { data: { name: person.name, email: person.email, expires_at: toIso(expiresMs) } };
    }),
    route(operations.signInWithLink, async ({ body: { token }, ...context }) => {
      const { request, nowMs } = context;
      const browser = toBrowserRequest(request, clientAddresses);
      requireAttemptsLeft(await throttle.countAddress(browser.address, nowMs));
      // Before the link is used up.
      await requireSignInOwner(database, { token, nowMs });
      const engine = await loadEngine();
      const userId = await database.transaction(
        async (tx) => {
          const { person } = await requireSignInOwner(tx, { token, nowMs });
          await deletePersonalLink(tx.signInTables, SIGN_IN_LINK, token);
          return person.id;
        },
        { freesSpace: true },
      );
      const message = 'The account was disabled or removed while the link was used.';
      return {
        data: await finishSignIn(engine.signInRecognized(userId, browser), message, 'sign-in link', context),
      };
    }),
    route(operations.resetPassword, async ({ body, request, nowMs }) => {
      requireAttemptsLeft(await throttle.countAddress(clientAddresses.clientOf(request.raw), nowMs));
      await requireOwner(database, RESET_LINK, { token: body.token, nowMs });
      const hashed = await passwords.hash(body.password);
      await database.transaction(async (tx) => {
        const { person } = await requireOwner(tx, RESET_LINK, { token: body.token, nowMs });
        await deletePersonalLink(tx.signInTables, RESET_LINK, body.token);
        await tx.users.setPassword(newId('user'), { user_id: person.id, password: hashed }, nowMs);
        await tx.sessions.endAll(person.id);
        await recordPersonAction(tx, { person, action: 'user.password_reset' }, { request, nowMs, newId });
      });
      return { data: { changed: true as const } };
    }),
  ];
}

const linkExpired = () =>
  new ApiError(
    'LINK_EXPIRED',
    'This link was used or revoked, or has expired. Ask whoever gave it to you for another.',
  );

const storesOf = ({ stores }: Row<'invitations'>): string[] | null => stores && JSON.parse(stores);

async function requireOpenInvitation(
  { invitations }: Pick<Repositories, 'invitations'>,
  token: string,
  nowMs: number,
): Promise<Row<'invitations'>> {
  const invitation = await invitations.findOpen(hashLinkToken(token), nowMs);
  if (!invitation) {
    throw linkExpired();
  }
  return invitation;
}

function requireEmail({ email }: Row<'invitations'>, given: string | undefined): string {
  const address = email ?? given;
  if (address === undefined) {
    throw validationError([{ path: 'email', message: 'is missing' }]);
  }
  if (given !== undefined && given !== address) {
    throw validationError([{ path: 'email', message: 'must be the address that was invited' }]);
  }
  return address;
}

/** The person that a link is for. */
async function requireOwner(
  { signInTables, users }: Pick<Repositories, 'signInTables' | 'users'>,
  kind: PersonalLinkKind,
  given: { token: string; nowMs: number },
): Promise<{ person: UserRow; expiresMs: number }> {
  const link = await findPersonalLink(signInTables, kind, given);
  const person = link && (await users.find(link.userId));
  if (!person) {
    throw linkExpired();
  }
  return { person, expiresMs: link.expiresMs };
}

/** The person that a sign-in link is for; nobody who is disabled. */
async function requireSignInOwner(
  repositories: Pick<Repositories, 'signInTables' | 'users'>,
  given: { token: string; nowMs: number },
) {
  const found = await requireOwner(repositories, SIGN_IN_LINK, given);
  if (found.person.disabled_at !== null) {
    throw linkExpired();
  }
  return found;
}

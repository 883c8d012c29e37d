import { ownAccountOperations as operations } from '@placard/protocol/api';
import type { Operation, OwnAccount, Passkey } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import type { Row } from '../../database/schema.ts';
import type { UserRow } from '../../database/users.ts';
import { toIso } from '../../domain/iso-time.ts';
import { SESSION_IDLE_MS } from '../../domain/session-lifetime.ts';
import { ROLE_OF_SCOPE } from '../../domain/scope.ts';
import { unauthorizedError } from '../../http-server/authenticate.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Actor, OperationRequest, Route } from '../../http-server/operation-route.ts';
import type { BrowserRequest, SignInEngine } from '../../people/sign-in-engine.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound } from '../request-checks.ts';
import { requireAttemptsLeft, resolveOutcome, toBrowserRequest } from './browser.ts';
import { presentSession, presentUser } from './present.ts';

const WRONG_PASSWORD = 'The password is wrong.';
const WRONG_CODE = 'The code is wrong. Codes of the phone change every 30 seconds.';
const WRONG_PASSKEY = 'The browser made no passkey that this cloud can use; try again.';

type PersonRequest = Pick<OperationRequest<Operation>, 'actor' | 'request' | 'nowMs'>;

/** What a person sees and changes of their own account. */
export function ownAccountRoutes({ database, people, keyUsage, clientAddresses }: HttpDeps): Route[] {
  /** Counts an attempt with the password or a code: whoever has found an open browser must not guess them. */
  const prepare = async ({
    actor,
    request,
    nowMs,
  }: PersonRequest): Promise<{ engine: SignInEngine; browser: BrowserRequest }> => {
    const browser = toBrowserRequest(request, clientAddresses);
    const attempt = { account: `own ${idOf(actor)}`, address: browser.address, isKnownAddress: false };
    requireAttemptsLeft(await people.throttle.countAccount(attempt, nowMs));
    return { engine: await people.loadEngine(), browser };
  };

  return [
    route(operations.getOwnAccount, async ({ actor }) => ({
      data: await presentCaller(database, requireActor(actor)),
    })),
    route(operations.updateOwnAccount, async ({ body, actor, nowMs, commit }) =>
      commit(async (tx) => {
        await tx.users.update(idOf(actor), { name: body.name, updated_at: nowMs });
        return { data: presentUser(await requireSelf(tx, actor)) };
      }),
    ),
    route(operations.changePassword, async ({ body, reply, commit, ...person }) => {
      const { engine, browser } = await prepare(person);
      const input = { current: body.current_password, password: body.password };
      await resolveOutcome(reply, engine.changePassword(input, browser), WRONG_PASSWORD);
      return commit(async () => ({ data: { id: idOf(person.actor) } }));
    }),
    route(operations.listOwnSessions, async ({ actor, nowMs }) => {
      const rows = await database.sessions.listOf(idOf(actor), {
        nowMs,
        usedSinceMs: nowMs - SESSION_IDLE_MS,
      });
      return { data: rows.map((row) => presentSession(row, { actor, keyUsage })) };
    }),
    route(operations.endOwnSession, async ({ params: { id }, actor, commit }) =>
      commit(async (tx) => {
        if (!(await tx.sessions.end(idOf(actor), id))) {
          requireFound(undefined, 'SESSION_NOT_FOUND');
        }
        return { data: { id, deleted: true } };
      }),
    ),
    route(operations.startSecondFactor, async ({ body, reply, commit, ...person }) => {
      const { engine, browser } = await prepare(person);
      const made = await resolveOutcome(reply, engine.startTotp(body.password, browser), WRONG_PASSWORD);
      return commit(async () => ({ data: { uri: made.uri, backup_codes: made.backupCodes } }));
    }),
    route(operations.confirmSecondFactor, async ({ body, reply, commit, ...person }) => {
      const { engine, browser } = await prepare(person);
      await resolveOutcome(reply, engine.confirmTotp(body.code, browser), WRONG_CODE);
      return commit(async () => ({ data: { id: idOf(person.actor) } }));
    }),
    route(operations.stopSecondFactor, async ({ body, reply, commit, ...person }) => {
      const { engine, browser } = await prepare(person);
      await resolveOutcome(reply, engine.stopTotp(body.password, browser), WRONG_PASSWORD);
      return commit(async () => ({ data: { id: idOf(person.actor) } }));
    }),
    route(operations.listPasskeys, async ({ actor }) => ({
      data: (await database.users.listPasskeys(idOf(actor))).map(presentPasskey),
    })),
    route(operations.startPasskey, async ({ body, reply, commit, ...person }) => {
      const { engine, browser } = await prepare(person);
      await resolveOutcome(reply, engine.checkPassword(body.password, browser), WRONG_PASSWORD);
      const options = await resolveOutcome(reply, engine.startPasskey(browser), WRONG_PASSKEY);
      return commit(async () => ({ data: options }));
    }),
    route(operations.addPasskey, async ({ body, reply, commit, ...person }) => {
      const { engine, browser } = await prepare(person);
      const { id } = await resolveOutcome(reply, engine.addPasskey(body, browser), WRONG_PASSKEY);
      return commit(async (tx) => {
        const passkeys = await tx.users.listPasskeys(idOf(person.actor));
        const made = passkeys.find((each) => each.id === id);
        return { data: presentPasskey(requireFound(made, 'PASSKEY_NOT_FOUND')) };
      });
    }),
    route(operations.removePasskey, async ({ params: { id }, actor, commit }) =>
      commit(async (tx) => {
        if (!(await tx.users.deletePasskey(idOf(actor), id))) {
          requireFound(undefined, 'PASSKEY_NOT_FOUND');
        }
        return { data: { id, deleted: true } };
      }),
    ),
  ];
}

function requireActor(actor: Actor | null): Actor {
  if (!actor) {
    throw unauthorizedError('Sign in, or send an API key.');
  }
  return actor;
}

const idOf = (actor: Actor | null): string => requireActor(actor).id;

/** The person may have been removed since the request began. */
async function requireSelf({ users }: Pick<Repositories, 'users'>, actor: Actor | null): Promise<UserRow> {
  const user = await users.find(idOf(actor));
  if (!user) {
    throw unauthorizedError('This account was removed.');
  }
  return user;
}

async function presentCaller(
  repositories: Pick<Repositories, 'users' | 'stores' | 'organization'>,
  actor: Actor,
): Promise<OwnAccount> {
  const { type, id, name, scope, session } = actor;
  const { timezone } = await repositories.organization.get();
  if (!session) {
    const none = {
      role: null,
      email: null,
      stores: null,
      timezone,
      has_second_factor: false,
      session_expires_at: null,
    };
    return { type, id, name, scope, ...none };
  }
  const user = await requireSelf(repositories, actor);
  const names = await repositories.stores.findNames(user.stores ?? []);
  return {
    type,
    id,
    name: user.name,
    scope,
    role: ROLE_OF_SCOPE[scope],
    email: user.email,
    stores: user.stores && [...names].map(([storeId, storeName]) => ({ id: storeId, name: storeName })),
    timezone,
    has_second_factor: user.has_totp === 1,
    session_expires_at: toIso(session.expiresMs),
  };
}

const presentPasskey = (row: Row<'passkeys'>): Passkey => ({
  id: row.id,
  name: row.name,
  is_synced: row.backed_up === 1,
  created_at: toIso(row.created_at),
});

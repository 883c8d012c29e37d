import { peopleOperations as operations } from '@placard/protocol/api';
import type { Role } from '@placard/protocol/api';
import type { Repositories, Transaction } from '../../database/cloud-database.ts';
import type { UserRow } from '../../database/users.ts';
import { ApiError, validationError } from '../../domain/api-error.ts';
import { toIso } from '../../domain/iso-time.ts';
import { SESSION_IDLE_MS } from '../../domain/session-lifetime.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Actor, Route } from '../../http-server/operation-route.ts';
import { createPersonalLink, RESET_LINK } from '../../people/personal-links.ts';
import type { HttpDeps } from '../deps.ts';
import { requireAll, requireFound } from '../request-checks.ts';
import { presentSession, presentUser } from './present.ts';

export function userRoutes({ database, keyUsage, publicUrl, newId }: HttpDeps): Route[] {
  return [
    route(operations.listUsers, async ({ query }) => {
      return listResult(await database.users.list(query), presentUser, query);
    }),
    resourceRoute(database, operations.getUser, {
      read: async (source, { id }) => presentUser(await requireUser(source, id)),
      settingsOf: ({ name, role, stores, disabled }) => ({ name, role, stores, disabled }),
    }),
    route(operations.updateUser, async ({ params: { id }, body, actor, nowMs, commit }) =>
      commit(async (tx) => {
        const user = await requireUser(tx, id);
        const change = { role: body.role ?? user.role, disabled: body.disabled ?? user.disabled_at !== null };
        if (change.role !== user.role || change.disabled !== (user.disabled_at !== null)) {
          requireOther(actor, id, 'change your own role, or disable yourself');
          await requireAdminLeft(tx, user, change);
        }
        const stores = body.stores === undefined ? user.stores : body.stores;
        await requireBindable(tx, change.role, stores);
        await tx.users.update(id, {
          role: change.role,
          ...(body.name === undefined ? {} : { name: body.name }),
          disabled_at: change.disabled ? (user.disabled_at ?? nowMs) : null,
          updated_at: nowMs,
        });
        await tx.users.setStores(id, stores);
        if (change.disabled) {
          await tx.sessions.endAll(id);
        }
        return { data: presentUser(await requireUser(tx, id)) };
      }),
    ),
    route(operations.deleteUser, async ({ params: { id }, actor, commit }) =>
      commit(async (tx) => {
        const user = await requireUser(tx, id);
        requireOther(actor, id, 'remove yourself');
        await requireAdminLeft(tx, user, { role: user.role, disabled: true });
        await tx.users.delete(id);
        return { data: { id, deleted: true } };
      }),
    ),
    route(operations.createResetLink, async ({ params: { id }, nowMs, commit }) =>
      commit(async (tx) => {
        await requireUser(tx, id);
        const { url, expiresMs } = await createPersonalLink(tx.signInTables, RESET_LINK, {
          id: newId('session'),
          userId: id,
          publicUrl: publicUrl(),
          nowMs,
        });
        return { data: { id, url, expires_at: toIso(expiresMs) } };
      }),
    ),
    route(operations.removeSecondFactor, async ({ params: { id }, commit }) =>
      commit(async (tx) => {
        await requireUser(tx, id);
        await tx.users.removeSecondFactor(id);
        return { data: presentUser(await requireUser(tx, id)) };
      }),
    ),
    route(operations.listUserSessions, async ({ params: { id }, actor, nowMs }) => {
      await requireUser(database, id);
      const rows = await database.sessions.listOf(id, { nowMs, usedSinceMs: nowMs - SESSION_IDLE_MS });
      return { data: rows.map((row) => presentSession(row, { actor, keyUsage })) };
    }),
    route(operations.endUserSessions, async ({ params: { id }, commit }) =>
      commit(async (tx) => {
        await requireUser(tx, id);
        return { data: { id, ended: await tx.sessions.endAll(id) } };
      }),
    ),
    route(operations.endUserSession, async ({ params: { id, session_id: sessionId }, commit }) =>
      commit(async (tx) => {
        await requireUser(tx, id);
        if (!(await tx.sessions.end(id, sessionId))) {
          requireFound(undefined, 'SESSION_NOT_FOUND');
        }
        return { data: { id, ended: 1 } };
      }),
    ),
  ];
}

const requireUser = async (repositories: Pick<Repositories, 'users'>, id: string): Promise<UserRow> =>
  requireFound(await repositories.users.find(id), 'USER_NOT_FOUND');

/** Admins are never bound to stores; stores exist. */
export async function requireBindable(
  repositories: Pick<Repositories, 'stores'>,
  role: Role,
  stores: readonly string[] | null,
): Promise<void> {
  if (role === 'Admin' && stores !== null) {
    throw validationError([
      { path: 'stores', message: 'must be null for an Admin, who is never bound to stores' },
    ]);
  }
  const found = await repositories.stores.findNames(stores ?? []);
  requireAll(stores ?? [], found, 'STORE_NOT_FOUND', 'There is no such store');
}

function requireOther(actor: Actor | null, id: string, what: string): void {
  if (actor?.type === 'user' && actor.id === id) {
    throw new ApiError('CONFLICT', `You cannot ${what}; ask another Admin.`);
  }
}

/** Somebody must be able to let others in again. */
async function requireAdminLeft(
  tx: Pick<Transaction, 'users'>,
  user: UserRow,
  after: { role: Role; disabled: boolean },
): Promise<void> {
  const wasAdmin = user.role === 'Admin' && user.disabled_at === null;
  const staysAdmin = after.role === 'Admin' && !after.disabled;
  if (wasAdmin && !staysAdmin && (await tx.users.countOtherAdmins(user.id)) === 0) {
    throw new ApiError(
      'CONFLICT',
      'This is the last Admin who can sign in; make somebody else an Admin first.',
    );
  }
}

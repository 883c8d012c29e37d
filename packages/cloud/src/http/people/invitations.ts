import { peopleOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { invitationUrl, newLinkToken } from '../../people/links.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound, requireWithinLimits } from '../request-checks.ts';
import { presentInvitation } from './present.ts';
import { requireBindable } from './users.ts';

export function invitationRoutes({ database, newId, publicUrl, clock }: HttpDeps): Route[] {
  return [
    route(operations.listInvitations, async ({ query }) => {
      const page = await database.invitations.listOpen(query, clock.nowMs());
      return listResult(page, presentInvitation, query);
    }),
    route(operations.createInvitation, async ({ body, actor, nowMs, commit }) =>
      commit(async (tx) => {
        const { email = null, role, stores = null } = body;
        await requireBindable(tx, role, stores);
        if (email !== null && (await tx.users.findByEmail(email))) {
          throw new ApiError('CONFLICT', `${email} already has an account.`);
        }
        requireWithinLimits({ users: await tx.users.count() }, '');
        requireWithinLimits({ openInvitations: (await tx.invitations.countOpen(nowMs)) + 1 }, '');
        const { token, hash } = newLinkToken();
        const row = {
          id: newId('invitation'),
          token_hash: hash,
          email,
          role,
          stores: stores && JSON.stringify(stores),
          created_by: actor?.name ?? '',
          created_at: nowMs,
          expires_at: nowMs + body.expires_in * 1000,
          accepted_at: null,
          accepted_by: null,
          revoked_at: null,
        };
        await tx.invitations.insert(row);
        return { data: { ...presentInvitation(row), url: invitationUrl(publicUrl(), token) } };
      }),
    ),
    route(operations.deleteInvitation, async ({ params: { id }, nowMs, commit }) =>
      commit(async (tx) => {
        const row = requireFound(await tx.invitations.find(id), 'INVITATION_NOT_FOUND');
        if (row.accepted_at !== null || row.revoked_at !== null || row.expires_at <= nowMs) {
          requireFound(undefined, 'INVITATION_NOT_FOUND');
        }
        await tx.invitations.revoke(id, nowMs);
        return { data: { id, deleted: true } };
      }),
    ),
  ];
}

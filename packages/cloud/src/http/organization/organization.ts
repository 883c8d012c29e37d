import { organizationOperations as operations } from '@placard/protocol/api';
import { invalid, refusal } from '../../domain/refusal.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { presentApiKey, presentOrganization } from '../present.ts';
import { hashSecret, newSecret } from '../secrets.ts';

export function organizationRoutes({
  store,
  newId,
  lastUsed,
}: Pick<HttpDeps, 'store' | 'newId' | 'lastUsed'>): Route[] {
  return [
    route(operations.getOrganization, async () => ({
      data: presentOrganization(await store.organization.get()),
    })),
    route(operations.updateOrganization, async ({ body, nowMs, commit }) =>
      commit(async (work) => {
        await work.organization.update(body, nowMs);
        if (body.timezone !== undefined) work.affects('all');
        return { data: presentOrganization(await work.organization.get()) };
      }),
    ),
    route(operations.listApiKeys, async ({ query }) => {
      const { rows, total } = await store.apiKeys.list(query);
      const known = rows.map((row) => ({ ...row, last_used_at: lastUsed.of(row.id) ?? row.last_used_at }));
      return page(known.map(presentApiKey), total, query);
    }),
    route(operations.createApiKey, async ({ body, nowMs, commit }) =>
      commit(async (work) => {
        if (body.expires_at && Date.parse(body.expires_at) <= nowMs)
          throw invalid([{ path: 'expires_at', message: 'must be in the future' }]);
        const key = newSecret('plk_');
        const row = {
          id: newId('key'),
          name: body.name,
          scope: body.scope,
          hash: hashSecret(key),
          created_at: nowMs,
          expires_at: body.expires_at ? Date.parse(body.expires_at) : null,
          last_used_at: null,
        };
        await work.apiKeys.insert(row);
        return { data: { ...presentApiKey(row), key } };
      }),
    ),
    route(operations.deleteApiKey, async ({ params, nowMs, commit }) =>
      commit(async (work) => {
        if ((await work.apiKeys.otherAdmins(params.id, nowMs)) === 0)
          throw refusal('CONFLICT', 'This is the last Admin key; make another one first.');
        if (!(await work.apiKeys.delete(params.id)))
          throw refusal('KEY_NOT_FOUND', 'The requested API key does not exist.');
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

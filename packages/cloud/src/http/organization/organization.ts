import { organizationOperations as operations } from '@placard/protocol/api';
import { ApiError, validationError } from '../../domain/api-error.ts';
import type { SentFile } from '../../domain/sent-files.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentApiKey, presentOrganization } from '../../http-server/present.ts';
import { hashSecret, generateSecret, lastFour } from '../../http-server/secrets.ts';

export function organizationRoutes({ database, sentFiles, newId, keyUsage }: HttpDeps): Route[] {
  return [
    resourceRoute(database, operations.getOrganization, {
      read: async (source) => presentOrganization(await source.organization.get()),
    }),
    route(operations.updateOrganization, async ({ body, nowMs, commit }) => {
      let forbidden: SentFile[] = [];
      const result = await commit(async (tx) => {
        const { screenshots_allowed: allowed, ...change } = body;
        const columns = allowed === undefined ? {} : { screenshots_allowed: Number(allowed) };
        await tx.organization.update({ ...change, ...columns }, nowMs);
        if (allowed === false) {
          forbidden = [...(await tx.screenshots.deleteAll()), ...(await tx.faultScreenshots.deleteAll())];
        }
        if (Object.keys(body).some((field) => field !== 'name')) {
          tx.invalidateManifests('settings');
        }
        return { data: presentOrganization(await tx.organization.get()) };
      });
      // Of thousands of devices it takes a while.
      void sentFiles.deleteForbidden(forbidden);
      return result;
    }),
    route(operations.listApiKeys, async ({ query }) => {
      const page = await database.apiKeys.list(query);
      return listResult(
        page,
        (row) => presentApiKey({ ...row, last_used_at: keyUsage.lastUsedMs(row.id) ?? row.last_used_at }),
        query,
      );
    }),
    route(operations.createApiKey, async ({ body, nowMs, commit }) =>
      commit(async (tx) => {
        if (body.expires_at && Date.parse(body.expires_at) <= nowMs) {
          throw validationError([{ path: 'expires_at', message: 'must be in the future' }]);
        }
        const key = generateSecret('plk_');
        const row = {
          id: newId('key'),
          name: body.name,
          scope: body.scope,
          hash: hashSecret(key),
          last_four: lastFour(key),
          created_at: nowMs,
          expires_at: body.expires_at ? Date.parse(body.expires_at) : null,
          last_used_at: null,
        };
        await tx.apiKeys.insert(row);
        return { data: { ...presentApiKey(row), key } };
      }),
    ),
    route(operations.deleteApiKey, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        if ((await tx.apiKeys.countOtherAdmins(params.id, nowMs)) === 0) {
          throw new ApiError('CONFLICT', 'This is the last Admin key; create another one first.');
        }
        if (!(await tx.apiKeys.delete(params.id))) {
          throw new ApiError('KEY_NOT_FOUND', 'The requested API key does not exist.');
        }
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

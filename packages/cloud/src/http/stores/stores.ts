import { storeOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentStore } from '../../http-server/present.ts';
import { removeTarget, requireStore, requireWithinLimits } from '../request-checks.ts';

export function storeRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(operations.listStores, async ({ query, actor }) =>
      listResult(
        await database.stores.list({ ...query, ids: actor?.stores ?? undefined }),
        presentStore,
        query,
      ),
    ),
    route(operations.createStore, async ({ body, nowMs, commit }) =>
      commit(async (tx) => {
        const id = newId('store');
        await tx.stores.insert({
          id,
          name: body.name,
          address: body.address ?? null,
          city: body.city ?? null,
          region: body.region ?? null,
          country: body.country ?? null,
          contact: body.contact ?? null,
          timezone: body.timezone ?? null,
          tags: JSON.stringify(body.tags ?? []),
          created_at: nowMs,
          updated_at: nowMs,
        });
        requireWithinLimits({ stores: await tx.stores.count() }, '');
        if (body.timezone) {
          tx.invalidateManifests({ storeId: id });
        }
        return { data: presentStore(await requireStore(tx, id)) };
      }),
    ),
    resourceRoute(database, operations.getStore, {
      read: async (source, { id }) => presentStore(await requireStore(source, id)),
      settingsOf: ({ device_count: _count, updated_at: _at, ...settings }) => settings,
    }),
    route(operations.updateStore, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        const before = await requireStore(tx, params.id);
        const { tags, ...change } = body;
        await tx.stores.update(params.id, {
          ...change,
          ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
          updated_at: nowMs,
        });
        if (change.timezone !== undefined && change.timezone !== before.timezone) {
          tx.invalidateManifests({ storeId: params.id });
        }
        return { data: presentStore(await requireStore(tx, params.id)) };
      }),
    ),
    route(operations.deleteStore, async ({ params, commit }) =>
      commit(async (tx) => {
        await requireStore(tx, params.id);
        const rules = await tx.alertRules.ofStore(params.id);
        if (rules.length > 0) {
          throw new ApiError(
            'STORE_IN_USE',
            `The store is watched by ${rules.length} rule(s) for alerts: ${rules.map((rule) => rule.name).join(', ')}.`,
            { details: { rules } },
          );
        }
        await tx.stores.delete(params.id);
        await removeTarget(tx, { type: 'store', id: params.id });
        tx.invalidateManifests({ storeId: params.id });
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

import { storeOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import type { StoreRow } from '../../database/stores.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import { pagedResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentStore } from '../../http-server/present.ts';
import { requireWithinLimits } from '../request-checks.ts';

async function requireStoreRow(repositories: Repositories, id: string): Promise<StoreRow> {
  const row = await repositories.stores.find(id);
  if (!row) {
    throw new ApiError('STORE_NOT_FOUND', 'The requested store does not exist.');
  }
  return row;
}

export function storeRoutes({ database, newId }: Pick<HttpDeps, 'database' | 'newId'>): Route[] {
  return [
    route(operations.listStores, async ({ query }) => {
      const { rows, total } = await database.stores.list(query);
      return pagedResult(rows.map(presentStore), total, query);
    }),
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
        return { data: presentStore(await requireStoreRow(tx, id)) };
      }),
    ),
    route(operations.getStore, async ({ params }) => ({
      data: presentStore(await requireStoreRow(database, params.id)),
    })),
    route(operations.updateStore, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        await requireStoreRow(tx, params.id);
        const { tags, ...change } = body;
        await tx.stores.update(params.id, {
          ...change,
          ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
          updated_at: nowMs,
        });
        return { data: presentStore(await requireStoreRow(tx, params.id)) };
      }),
    ),
    route(operations.deleteStore, async ({ params, commit }) =>
      commit(async (tx) => {
        await requireStoreRow(tx, params.id);
        await tx.stores.delete(params.id);
        await tx.schedules.removeTarget('store', params.id);
        await tx.deployments.removeTarget('store', params.id);
        tx.invalidateManifests('all');
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

import { storeOperations as operations } from '@placard/protocol/api';
import { refusal } from '../../domain/refusal.ts';
import type { StoreRow } from '../../store/stores.ts';
import type { Repositories } from '../../store/store.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { presentStore } from '../present.ts';
import { requireRoom } from '../require.ts';

async function requireStoreRow(from: Repositories, id: string): Promise<StoreRow> {
  const row = await from.stores.find(id);
  if (!row) throw refusal('STORE_NOT_FOUND', 'The requested store does not exist.');
  return row;
}

export function storeRoutes({ store, newId }: Pick<HttpDeps, 'store' | 'newId'>): Route[] {
  return [
    route(operations.listStores, async ({ query }) => {
      const { rows, total } = await store.stores.list(query);
      return page(rows.map(presentStore), total, query);
    }),
    route(operations.createStore, async ({ body, nowMs, commit }) =>
      commit(async (work) => {
        const id = newId('store');
        await work.stores.insert({
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
        requireRoom({ stores: await work.stores.count() }, '');
        return { data: presentStore(await requireStoreRow(work, id)) };
      }),
    ),
    route(operations.getStore, async ({ params }) => ({
      data: presentStore(await requireStoreRow(store, params.id)),
    })),
    route(operations.updateStore, async ({ params, body, nowMs, commit }) =>
      commit(async (work) => {
        await requireStoreRow(work, params.id);
        const { tags, ...change } = body;
        await work.stores.update(params.id, {
          ...change,
          ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
          updated_at: nowMs,
        });
        return { data: presentStore(await requireStoreRow(work, params.id)) };
      }),
    ),
    route(operations.deleteStore, async ({ params, commit }) =>
      commit(async (work) => {
        await requireStoreRow(work, params.id);
        await work.stores.delete(params.id);
        await work.schedules.forgetTarget('store', params.id);
        await work.deployments.forgetTarget('store', params.id);
        work.affects('all');
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

import { contentOperations as operations } from '@placard/protocol/api';
import { refusal } from '../../domain/refusal.ts';
import type { Row } from '../../store/schema.ts';
import type { Repositories } from '../../store/store.ts';
import { page, route } from '../call.ts';
import type { Route } from '../call.ts';
import type { HttpDeps } from '../deps.ts';
import { presentFolder } from '../present.ts';
import { requireRoom } from '../require.ts';

export async function requireFolder(from: Repositories, id: string): Promise<Row<'folders'>> {
  const row = await from.folders.find(id);
  if (!row) throw refusal('FOLDER_NOT_FOUND', 'The requested folder does not exist.');
  return row;
}

export function folderRoutes({ store, newId }: Pick<HttpDeps, 'store' | 'newId'>): Route[] {
  return [
    route(operations.listFolders, async ({ query }) => {
      const { rows, total } = await store.folders.list(query);
      return page(rows.map(presentFolder), total, query);
    }),
    route(operations.createFolder, async ({ body, nowMs, commit }) =>
      commit(async (work) => {
        if (body.parent_id) await requireFolder(work, body.parent_id);
        const row = {
          id: newId('folder'),
          name: body.name,
          parent_id: body.parent_id ?? null,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await work.folders.insert(row);
        requireRoom({ folders: await work.folders.count() }, '');
        return { data: presentFolder(row) };
      }),
    ),
    route(operations.getFolder, async ({ params }) => ({
      data: presentFolder(await requireFolder(store, params.id)),
    })),
    route(operations.updateFolder, async ({ params, body, nowMs, commit }) =>
      commit(async (work) => {
        await requireFolder(work, params.id);
        if (body.parent_id) {
          await requireFolder(work, body.parent_id);
          if ((await work.folders.ancestry(body.parent_id)).includes(params.id))
            throw refusal('CONFLICT', 'A folder cannot lie in itself or in one of its own folders.');
        }
        await work.folders.update(params.id, body, nowMs);
        return { data: presentFolder(await requireFolder(work, params.id)) };
      }),
    ),
    route(operations.deleteFolder, async ({ params, commit }) =>
      commit(async (work) => {
        await requireFolder(work, params.id);
        const held = await work.folders.contents(params.id);
        if (held.assets + held.folders > 0)
          throw refusal(
            'FOLDER_NOT_EMPTY',
            `The folder still holds ${held.assets} assets and ${held.folders} folders.`,
            { details: held },
          );
        await work.folders.delete(params.id);
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

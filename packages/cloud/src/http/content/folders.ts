import { contentOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import type { Repositories } from '../../database/cloud-database.ts';
import { listResult, resourceRoute, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { presentFolder } from '../../http-server/present.ts';
import { requireFound, requireWithinLimits } from '../request-checks.ts';

export const requireFolder = async (repositories: Repositories, id: string) =>
  requireFound(await repositories.folders.find(id), 'FOLDER_NOT_FOUND');

export function folderRoutes({ database, newId }: HttpDeps): Route[] {
  return [
    route(operations.listFolders, async ({ query }) =>
      listResult(await database.folders.list(query), presentFolder, query),
    ),
    route(operations.createFolder, async ({ body, nowMs, commit }) =>
      commit(async (tx) => {
        if (body.parent_id) {
          await requireFolder(tx, body.parent_id);
        }
        const row = {
          id: newId('folder'),
          name: body.name,
          parent_id: body.parent_id ?? null,
          created_at: nowMs,
          updated_at: nowMs,
        };
        await tx.folders.insert(row);
        requireWithinLimits({ folders: await tx.folders.count() }, '');
        return { data: presentFolder(row) };
      }),
    ),
    resourceRoute(database, operations.getFolder, {
      read: async (source, { id }) => presentFolder(await requireFolder(source, id)),
    }),
    route(operations.updateFolder, async ({ params, body, nowMs, commit }) =>
      commit(async (tx) => {
        await requireFolder(tx, params.id);
        if (body.parent_id) {
          await requireFolder(tx, body.parent_id);
          if ((await tx.folders.ancestorIds(body.parent_id)).includes(params.id)) {
            throw new ApiError('CONFLICT', 'A folder cannot be moved into itself or one of its subfolders.');
          }
        }
        await tx.folders.update(params.id, body, nowMs);
        return { data: presentFolder(await requireFolder(tx, params.id)) };
      }),
    ),
    route(operations.deleteFolder, async ({ params, commit }) =>
      commit(async (tx) => {
        await requireFolder(tx, params.id);
        const contents = await tx.folders.countContents(params.id);
        if (contents.assets + contents.folders > 0) {
          throw new ApiError(
            'FOLDER_NOT_EMPTY',
            `The folder is not empty: it holds ${contents.assets} assets and ${contents.folders} folders.`,
            { details: contents },
          );
        }
        await tx.folders.delete(params.id);
        return { data: { id: params.id, deleted: true } };
      }),
    ),
  ];
}

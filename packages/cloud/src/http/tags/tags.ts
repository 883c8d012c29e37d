import { tagOperations as operations } from '@placard/protocol/api';
import type { TagInUse } from '@placard/protocol/api';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';

export function tagRoutes({ database }: HttpDeps): Route[] {
  return [
    route(operations.listTags, async ({ query }) =>
      listResult(await database.tags.list({ ...query, sort: 'tag' }), (row): TagInUse => row, query),
    ),
  ];
}

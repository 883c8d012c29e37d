import { tagOperations as operations } from '@placard/protocol/api';
import type { TagInUse } from '@placard/protocol/api';
import { listResult, route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';

export function tagRoutes({ database }: HttpDeps): Route[] {
  return [
    route(operations.listTags, async ({ query, actor }) =>
      listResult(
        await database.tags.list({ ...query, sort: 'tag', stores: actor?.stores ?? undefined }),
        (row): TagInUse => row,
        query,
      ),
    ),
  ];
}

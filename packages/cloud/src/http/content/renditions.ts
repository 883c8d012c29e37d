import { renditionOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import { renditionKindOf } from '../../domain/renditions.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import type { HttpDeps } from '../deps.ts';
import { requireFound } from '../request-checks.ts';
import { requireAsset } from './content.ts';
import { possibleRendition, presentRendition } from './present-rendition.ts';

export function renditionRoutes({ database, contentUrls, inspector }: HttpDeps): Route[] {
  return [
    route(operations.listRenditions, async ({ params }) => {
      const kind = renditionKindOf(await requireAsset(database, params.id));
      const rows = await database.renditions.list(params.id);
      const isOff = !(await database.organization.wantsRenditions());
      // Nobody waits for one while none is made.
      const data = rows
        .filter(({ state }) => !isOff || state === 'ready' || state === 'failed')
        .map((row) => presentRendition(row, contentUrls));
      const isPossible = kind !== null && !isOff;
      return { data: isPossible && data.length === 0 ? [possibleRendition(kind)] : data };
    }),
    route(operations.makeRendition, async ({ params, nowMs, commit }) => {
      const needed = renditionKindOf(await requireAsset(database, params.id));
      // Not in the transaction, because a process may have to be started.
      if (needed === 'h264_1080p30' && (await inspector.codecs()).missing !== null) {
        throw conflict(
          'no_encoder',
          'This cloud cannot convert videos: @mediabunny/server is not installed.',
        );
      }
      return commit(async (tx) => {
        if (!(await tx.organization.wantsRenditions())) {
          throw conflict(
            'switched_off',
            'The organization makes no such copies; change its setting `renditions`.',
          );
        }
        const asset = await requireAsset(tx, params.id);
        const kind = renditionKindOf(asset);
        if (kind === null) {
          throw conflict(
            'not_needed',
            'A copy would play on no more screens than this file does, or nobody knows what the file needs.',
          );
        }
        const known = await tx.renditions.find(asset.id, kind);
        if (known && known.state !== 'failed') {
          return { data: presentRendition(known, contentUrls), isUnchanged: true };
        }
        await tx.renditions.want({ content_id: asset.id, kind, source_sha256: asset.sha256 }, nowMs);
        const row = requireFound(await tx.renditions.find(asset.id, kind), 'CONTENT_NOT_FOUND');
        return { data: presentRendition(row, contentUrls) };
      });
    }),
  ];
}

const conflict = (reason: string, message: string) =>
  new ApiError('CONFLICT', message, { details: { reason } });

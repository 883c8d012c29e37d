import { setImmediate } from 'node:timers/promises';
import { problemOf } from '../domain/decoders.ts';
import { renditionKindOf } from '../domain/renditions.ts';
import type { RenditionSource } from '../domain/renditions.ts';
import { findDemand } from '../domain/video-classes.ts';
import type { JobDeps } from './deps.ts';

/** Assets that are read at once: about 3 ms. */
const BATCH_ROWS = 500;

/** Where the organization wants it: wants a rendition of each file that a screen has reported it cannot play well. */
export async function wantRenditions({
  database,
  clock,
}: Pick<JobDeps, 'database' | 'clock'>): Promise<void> {
  const { renditions: policy } = await database.organization.get();
  if (policy !== 'automatic') {
    return;
  }
  const decoders = await database.decoders.listReported();
  let after = '';
  for (;;) {
    const assets = await database.renditions.listAssetsAfter(after, BATCH_ROWS);
    const wanted = assets.flatMap((asset) => {
      const kind = neededKind(asset, decoders);
      return kind === null || asset.kinds.includes(kind)
        ? []
        : [{ content_id: asset.id, kind, source_sha256: asset.sha256 }];
    });
    if (wanted.length > 0) {
      await database.transaction(async (tx) => {
        // Some may have been deleted or replaced meanwhile.
        const current = await tx.assets.findByIds(wanted.map(({ content_id: id }) => id));
        for (const key of wanted) {
          if (current.get(key.content_id)?.sha256 === key.source_sha256) {
            await tx.renditions.want(key, clock.nowMs());
          }
        }
      });
    }
    const last = assets.at(-1);
    if (!last || assets.length < BATCH_ROWS) {
      return;
    }
    after = last.id;
    await setImmediate();
  }
}

function neededKind(asset: RenditionSource, decoders: readonly string[]) {
  const kind = renditionKindOf(asset);
  const demand = asset.type === 'video' ? findDemand(asset) : null;
  return kind === null || demand === null || decoders.some((text) => problemOf(text, demand) !== null)
    ? kind
    : null;
}

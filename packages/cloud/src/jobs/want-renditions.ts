import { setImmediate } from 'node:timers/promises';
import { ignoreBusy } from '../domain/api-error.ts';
import { playsCopyBetter } from '../domain/content-rendition.ts';
import { demandsOfRendition, renditionKindOf } from '../domain/renditions.ts';
import type { RenditionSource } from '../domain/renditions.ts';
import type { JobDeps } from './deps.ts';

/** Assets that are read at once: about 3 ms. */
const BATCH_ROWS = 500;

type Deps = Pick<JobDeps, 'database' | 'clock' | 'inspector'>;

/**
 * Where the organization wants it: wants a rendition of each file that a screen has reported it cannot play well. Deletes
 * those of files that are no longer there.
 */
export function createWantedRenditions({ database, clock, inspector }: Deps): () => Promise<void> {
  // Cached: whether the package is there does not change while the cloud runs.
  let canEncode: boolean | undefined;

  const keepPossible = async <T extends { kind: string }>(wanted: readonly T[]): Promise<readonly T[]> => {
    if (wanted.some(({ kind }) => kind === 'h264_1080p30')) {
      canEncode ??= (await inspector.codecs()).missing === null;
    }
    return wanted.filter(({ kind }) => canEncode !== false || kind !== 'h264_1080p30');
  };

  const wantAll = async (): Promise<void> => {
    const decoders = await database.decoders.listReported();
    let after = '';
    for (;;) {
      const assets = await database.renditions.listAssetsAfter(after, BATCH_ROWS);
      const wanted = await keepPossible(
        assets.flatMap((asset) => {
          const kind = neededKind(asset, decoders);
          return kind === null || asset.kinds.includes(kind)
            ? []
            : [{ content_id: asset.id, kind, source_sha256: asset.sha256 }];
        }),
      );
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
  };

  return async () => {
    await database.transaction((tx) => tx.renditions.deleteOutdated(), { freesSpace: true });
    const { renditions: policy } = await database.organization.get();
    if (policy !== 'automatic') {
      return;
    }
    await wantAll().catch(ignoreBusy);
  };
}

function neededKind(asset: RenditionSource, decoders: readonly string[]) {
  const kind = renditionKindOf(asset);
  const demands = asset.type === 'video' ? demandsOfRendition(asset) : null;
  return kind === null || demands === null || decoders.some((text) => playsCopyBetter(text, demands))
    ? kind
    : null;
}

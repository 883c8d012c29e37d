import type { ManifestAsset } from '@placard/protocol';
import type { ContentRendition } from '../domain/content-rendition.ts';
import type { MediaFormat } from '../domain/media-formats.ts';
import { findDemand } from '../domain/video-classes.ts';
import type { Db } from './db.ts';

/** An asset of manifests, with the copy that plays on more devices. */
export interface AssetWithRendition {
  asset: ManifestAsset;
  rendition: ContentRendition | undefined;
}

/** Rows for `toAssetWithRendition`; an asset has at most one copy of the file that it has now. */
export const selectManifestAssets = (db: Db) =>
  db
    .selectFrom('assets')
    .leftJoin('renditions', (join) =>
      join
        .onRef('renditions.content_id', '=', 'assets.id')
        .onRef('renditions.source_sha256', '=', 'assets.sha256')
        .on('renditions.state', '=', 'ready'),
    )
    .select([
      'assets.id',
      'assets.type',
      'assets.sha256',
      'assets.size',
      'assets.format',
      'assets.width',
      'assets.height',
      'assets.duration',
      'assets.codec',
      'assets.frame_rate',
      'renditions.sha256 as copy_sha256',
      'renditions.size as copy_size',
      'renditions.format as copy_format',
      'renditions.width as copy_width',
      'renditions.height as copy_height',
      'renditions.duration as copy_duration',
      'renditions.codec as copy_codec',
      'renditions.frame_rate as copy_frame_rate',
    ]);

export type ManifestAssetRow = Awaited<
  ReturnType<ReturnType<typeof selectManifestAssets>['execute']>
>[number];

type AssetUrl = (sha256: string, format: MediaFormat) => string;

export function toAssetWithRendition(row: ManifestAssetRow, assetUrl: AssetUrl): AssetWithRendition {
  const { id, sha256, size, type, format, width, height, duration } = row;
  const asset = { id, sha256, size, url: assetUrl(sha256, format), type, format, width, height, duration };
  return { asset, rendition: toRendition(row, asset, assetUrl) };
}

function toRendition(
  row: ManifestAssetRow,
  asset: ManifestAsset,
  assetUrl: AssetUrl,
): ContentRendition | undefined {
  const { copy_sha256: sha256, copy_size: size, copy_format: format } = row;
  const { copy_width: width, copy_height: height } = row;
  if (sha256 === null || size === null || format === null || width === null || height === null) {
    return undefined;
  }
  const url = assetUrl(sha256, format);
  const copy = { ...asset, sha256, size, url, format, width, height, duration: row.copy_duration };
  if (row.type === 'image') {
    return { asset: copy, demands: null };
  }
  const original = findDemand(row);
  const demand = findDemand({ codec: row.copy_codec, width, height, frame_rate: row.copy_frame_rate });
  return original && demand ? { asset: copy, demands: { original, copy: demand } } : undefined;
}

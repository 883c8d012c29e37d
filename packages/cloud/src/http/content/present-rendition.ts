import type { Rendition, RenditionKind } from '@placard/protocol/api';
import type { Row } from '../../database/schema.ts';
import { toIso } from '../../domain/iso-time.ts';
import { blobName } from '../../domain/media-formats.ts';
import type { ContentUrls } from '../../http-server/present.ts';

export const presentRendition = (row: Row<'renditions'>, contentUrls: ContentUrls): Rendition => ({
  kind: row.kind,
  state: row.state,
  wanted_at: toIso(row.created_at),
  failure: row.failure === null ? null : { reason: row.failure, message: row.message ?? '' },
  file: presentFile(row, contentUrls),
});

/** One that nobody has asked for. */
export const possibleRendition = (kind: RenditionKind): Rendition => ({
  kind,
  state: 'possible',
  wanted_at: null,
  failure: null,
  file: null,
});

function presentFile(row: Row<'renditions'>, { blobUrl }: ContentUrls): Rendition['file'] {
  const { sha256, format, size, width, height, codec, frame_rate, duration } = row;
  return sha256 === null || format === null || size === null || width === null || height === null
    ? null
    : {
        sha256,
        url: blobUrl(blobName(sha256, format)),
        format,
        size,
        width,
        height,
        codec,
        frame_rate,
        duration,
      };
}

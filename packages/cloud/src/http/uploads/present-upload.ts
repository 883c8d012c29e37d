import type { Upload } from '@placard/protocol/api';
import type { Row } from '../../database/schema.ts';
import { toIso } from '../../domain/iso-time.ts';
import { describeUpload } from '../../domain/upload-metadata.ts';

export function presentUpload(row: Row<'uploads'>): Upload {
  const { name, sha256, replaces } = describeUpload(row.metadata);
  return {
    id: row.id,
    name,
    state: row.state,
    offset: row.received,
    size: row.size,
    sha256,
    asset_id: row.asset_id,
    replaces: replaces?.id ?? null,
    // It was written by us.
    error: row.error === null ? null : JSON.parse(row.error),
    expires_at: toIso(row.expires_at),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}

import type { UploadState } from '@placard/protocol/api';
import type { RequesterColumns } from './requester-columns.ts';

/** The tables of resumable uploads. */
export interface UploadTables {
  /** Resumable uploads; see `uploads.ts`. */
  uploads: RequesterColumns & {
    id: string;
    /** The header `Upload-Metadata` as it was sent. */
    metadata: string;
    /** Bytes of the whole file. */
    size: number;
    /** Bytes that are stored, never more than survive a crash. */
    received: number;
    state: UploadState;
    asset_id: string | null;
    /** JSON. */
    error: string | null;
    created_at: number;
    updated_at: number;
    expires_at: number;
    /** Until then one process makes the asset, or nobody tries again. */
    busy_until: number;
  };
  /** Where the bytes of uploads are in a bucket. */
  upload_parts: {
    upload_id: string;
    /** Offset of the first byte. */
    start: number;
    /** Bytes. */
    size: number;
    name: string;
  };
}

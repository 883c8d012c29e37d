import type { AssetType } from '@placard/protocol';
import type { RenditionFailure, RenditionKind } from '@placard/protocol/api';
import type { MediaFormat } from '../domain/media-formats.ts';

/** Media files and their copies. */
export interface ContentTables {
  assets: {
    id: string;
    name: string;
    type: AssetType;
    format: MediaFormat;
    width: number;
    height: number;
    size: number;
    /** Seconds of the video track, fractions kept. */
    duration: number | null;
    /** Of a video, as RFC 6381 writes it; `''`: the file does not tell; null: an image, or not read yet. */
    codec: string | null;
    /** Frames per second of a video, if its file tells. */
    frame_rate: number | null;
    sha256: string;
    /** Blob name of the thumbnail, `<sha256>.<ext>`. */
    thumbnail: string | null;
    /** Why a video has no thumbnail; null if none was attempted yet, or it has one. */
    thumbnail_fault: string | null;
    folder_id: string | null;
    created_at: number;
    updated_at: number;
  };
  asset_tags: { asset_id: string; tag: string; position: number };
  /** Copies of media files that play on more screens; at most one of each kind of an asset. */
  renditions: {
    content_id: string;
    kind: RenditionKind;
    /** The file that it is made of. When the asset has another one, the row counts for nothing. */
    source_sha256: string;
    state: 'wanted' | 'making' | 'ready' | 'failed';
    /** How often it was begun. */
    attempts: number;
    /**
     * While it is made: until when others leave it to the node that makes it. Another value: another claim. While it is
     * wanted: not to be begun before, after a failure of disk, media store or database.
     */
    leased_until: number | null;
    failure: RenditionFailure | null;
    message: string | null;
    /** From here on: what is known of the file, once it is ready. */
    sha256: string | null;
    size: number | null;
    format: MediaFormat | null;
    width: number | null;
    height: number | null;
    codec: string | null;
    frame_rate: number | null;
    duration: number | null;
    created_at: number;
    updated_at: number;
  };
}

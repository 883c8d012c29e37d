/** A part of an upload that has been stored outside its row. */
export interface StoredPart {
  /** Offset of its first byte. */
  start: number;
  /** Bytes. */
  size: number;
  name: string;
}

/** A whole file on this disk. */
export interface WholeFile {
  sha256: string;
  /** Bytes. */
  size: number;
  path: string;
}

/** Appends bytes to an upload. */
export interface UploadWriter {
  /** Takes the next bytes, at most 1 MiB; the buffer may be used again afterwards. */
  write(bytes: Buffer): Promise<void>;
  /** Makes all bytes durable, then has them recorded: `record` gets the parts that have to be remembered. */
  flush(record: (parts: readonly StoredPart[]) => Promise<void>): Promise<void>;
  /** Deletes what was not recorded, as far as it takes space. */
  discard(): Promise<void>;
  close(): Promise<void>;
}

/** An upload, and which of its bytes count. */
export interface StoredUpload {
  id: string;
  /** Bytes that were recorded. */
  received: number;
}

/**
 * The bytes of resumable uploads. What was recorded survives a crash; bytes behind it do not count, and are replaced by
 * those of the next writer.
 */
export interface UploadFiles {
  /** Whether the recorded bytes are here; `partBytes` is the size of all recorded parts. */
  has(upload: StoredUpload, partBytes: number): Promise<boolean>;
  /** Opens an upload to append to what was recorded. One writer at a time, except where parts have names. */
  append(upload: StoredUpload): Promise<UploadWriter>;
  /** Provides the whole file while `use` runs; returns null if some of its bytes are not here. */
  withFile<T>(
    upload: StoredUpload,
    parts: readonly StoredPart[],
    use: (file: WholeFile) => Promise<T>,
  ): Promise<T | null>;
  /** Deletes all bytes of an upload. */
  delete(id: string): Promise<void>;
  /** The uploads of which there are any bytes. */
  list(): AsyncIterable<string>;
}

export const UPLOAD_ID = /^upload_[0-9a-z]{26}$/;

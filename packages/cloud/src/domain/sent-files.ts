/** A file that a device has sent, as its row has it: a picture, or logs. */
export interface SentFile {
  /** Name of the blob. */
  sha256: string;
  /** Bytes that the device has sent. */
  size: number;
}

/**
 * Files that devices have sent. Each is a blob of its own, whatever its bytes, so it is deleted as soon as its row is gone:
 * `docs/adr/0045-screenshots.md`.
 */
export interface SentFiles {
  /** Stores the bytes; they stay if a row with their hash is there when they are released. */
  save(bytes: Buffer): Promise<{ file: SentFile; release: () => Promise<void> }>;
  /** The row with the bytes that the device has sent; null if there are none. `find` is asked again if they were replaced meanwhile. */
  read<R extends SentFile>(find: () => Promise<R | undefined>): Promise<{ row: R; bytes: Buffer } | null>;
  /** Deletes the files of rows that were replaced. Does not fail: what cannot be deleted is logged, and left to the hourly job. */
  delete(files: readonly SentFile[]): Promise<void>;
  /** The same on the word of a person, so only where the media are those of this database. */
  deleteForbidden(files: readonly SentFile[]): Promise<void>;
}

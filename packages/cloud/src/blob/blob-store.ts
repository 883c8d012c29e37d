import type { Readable } from 'node:stream';

/** Received bytes, complete but not yet part of the store. */
export interface StagedBlob {
  sha256: string;
  /** Bytes. */
  size: number;
  /** Path of the staged file until it is saved or released. */
  path: string;
  /** Flushes the bytes to disk and moves them into the store under their hash; they are pinned until `release`. */
  save(): Promise<void>;
  /** Call this once the row is written, or will not be: deletes the staged file if it was not saved, and unpins it. */
  release(): Promise<void>;
}

/** A blob as it was found. */
export interface BlobInfo {
  sha256: string;
  /** Bytes. */
  size: number;
  /** When it was last saved or touched, by the clock of this cloud. */
  modifiedMs: number;
  /** Tells these bytes from others that are saved under the same hash. */
  version: string;
}

/** Files addressed by the SHA-256 of their content. */
export interface BlobStore {
  /** Whether the blobs take space on the disk of the data folder. */
  readonly isLocal: boolean;
  /**
   * Stages a stream of at most `maxBytes`; returns `'too_large'` if it is longer. Leaves no file behind on failure. The
   * chunks are given away: they lose their memory once they are written.
   */
  receive(stream: Readable, maxBytes: number): Promise<StagedBlob | 'too_large'>;
  /** A file that stays where it is: saving stores its bytes without moving it. They must be on the disk already. */
  stage(file: { sha256: string; size: number; path: string }): StagedBlob;
  /** Saves the bytes; the result must be released as well. */
  put(bytes: Buffer): Promise<StagedBlob>;
  find(sha256: string): Promise<BlobInfo | null>;
  /**
   * Reads `[start, end]`, both inclusive, of a blob that is not empty. Null if it was deleted since it was found; one that is
   * deleted while it is read is read to its end.
   */
  read(blob: BlobInfo, range?: { start: number; end: number }): Promise<Readable | null>;
  /** Provides the blob as a local file while `use` runs; returns null if it does not exist. */
  withFile<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T | null>;
  /** Resets the age, so that clients that know its URL can still fetch it for a while. */
  touch(sha256: string): Promise<void>;
  list(): AsyncIterable<BlobInfo>;
  /**
   * Deletes a blob if `ifUnused` calls back, which it does in a transaction that finds no row with it. What was saved or
   * touched since it was found stays. So does what a running upload has saved; where that may be on another node, only
   * blobs of an hour ago may be removed.
   */
  remove(blob: BlobInfo, ifUnused: (approve: () => void) => Promise<void>): Promise<void>;
  /** Deletes a blob at once: one that nobody else can have saved, or be saving now. */
  delete(blob: BlobInfo): Promise<void>;
  /** Deletes what replaced bytes and processes that ended have left behind, once nobody can be using it. */
  sweep(): Promise<void>;
}

/** Where clients get the bytes of blobs instead of from this cloud. */
export interface BlobRedirects {
  /** Of all URLs, with the port if it is not the default. */
  host: string;
  /** A URL that works for a while. It gives access: it must not be logged. */
  urlOf(blob: BlobInfo, contentType: string): Promise<string>;
}

import type { Readable } from 'node:stream';

/** Bytes that arrived, complete and safe on disk, but not yet part of the store. */
export interface Received {
  sha256: string;
  /** Bytes. */
  size: number;
  /** Where they lie until they are kept or discarded. */
  path: string;
  /** Makes them part of the store, by their hash. */
  keep(): Promise<void>;
  /** Throws them away; after `keep` it does nothing. */
  discard(): Promise<void>;
}

export interface BlobInfo {
  sha256: string;
  /** Bytes. */
  size: number;
  modifiedMs: number;
}

/** Files by the SHA-256 of their bytes. */
export interface BlobStore {
  /** Takes a stream in, at most `maxBytes`; answers `'too_large'` when there is more. Leaves nothing on failure. */
  receive(stream: Readable, maxBytes: number): Promise<Received | 'too_large'>;
  /** Stores a few bytes and answers with their hash. */
  put(bytes: Buffer): Promise<string>;
  find(sha256: string): Promise<BlobInfo | null>;
  /** Reads `[start, end]`, both inclusive. */
  read(sha256: string, range?: { start: number; end: number }): Readable;
  list(): AsyncIterable<BlobInfo>;
  remove(sha256: string): Promise<void>;
}

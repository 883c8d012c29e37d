import type { Readable } from 'node:stream';

/** Bytes that arrived, complete and safe on disk, but not yet part of the store. */
export interface Received {
  sha256: string;
  /** Bytes. */
  size: number;
  /** Where they lie until they are kept or released. */
  path: string;
  /** Makes them part of the store, by their hash; nothing removes them until they are released. */
  keep(): Promise<void>;
  /** To be called when their row is written, or will not be: what was not kept is thrown away. */
  release(): Promise<void>;
}

export interface BlobInfo {
  sha256: string;
  /** Bytes. */
  size: number;
  /** When it was last put, or touched. */
  modifiedMs: number;
}

/** Files by the SHA-256 of their bytes. */
export interface BlobStore {
  /** Takes a stream in, at most `maxBytes`; answers `'too_large'` when there is more. Leaves nothing on failure. */
  receive(stream: Readable, maxBytes: number): Promise<Received | 'too_large'>;
  /** Keeps a few bytes; they too are to be released. */
  put(bytes: Buffer): Promise<Received>;
  find(sha256: string): Promise<BlobInfo | null>;
  /** Reads `[start, end]`, both inclusive. */
  read(sha256: string, range?: { start: number; end: number }): Readable;
  /** Lends the bytes as a local file for as long as `use` runs; null when they are not there. */
  withFile<T>(sha256: string, use: (path: string) => Promise<T>): Promise<T | null>;
  /** Counts as put just now: who holds its address may come for it a while longer. */
  touch(sha256: string): Promise<void>;
  list(): AsyncIterable<BlobInfo>;
  /** Removes a file unless it was just kept by somebody who has not written its row yet. At once, without a gap. */
  removeUnlessHeld(sha256: string): void;
}

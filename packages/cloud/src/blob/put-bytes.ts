import { Readable } from 'node:stream';
import type { BlobStore, StagedBlob } from './blob-store.ts';

/** `BlobStore.put` by means of `BlobStore.receive`. */
export async function putBytes(receive: BlobStore['receive'], bytes: Buffer): Promise<StagedBlob> {
  const received = await receive(Readable.from([Buffer.from(bytes)]), Number.MAX_SAFE_INTEGER);
  if (received === 'too_large') {
    throw new RangeError('a blob has no upper limit here');
  }
  try {
    await received.save();
  } catch (error) {
    await received.release();
    throw error;
  }
  return received;
}

import { randomBytes } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeSparseMp4 } from '../../../packages/cloud/test/trials/support/media.ts';

const CLIP = resolve(import.meta.dirname, '../../media/sample-waves-1280x720.mp4');
/** Header of the box after the clip, with a mark of 32 bytes. */
const BOX_HEAD_BYTES = 8 + 32;
const CHUNK_BYTES = 1 << 20;

/** Writes a playable video of this size in which no block is empty, and waits until it is on the disk. */
export async function writeNoisyVideo(file: string, bytes: number): Promise<void> {
  await writeSparseMp4(file, bytes, '');
  const noise = randomBytes(CHUNK_BYTES);
  const handle = await open(file, 'r+');
  try {
    for (let at = (await stat(CLIP)).size + BOX_HEAD_BYTES; at < bytes; at += CHUNK_BYTES) {
      await handle.write(noise, 0, Math.min(CHUNK_BYTES, bytes - at), at);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the video differ from all others. */
export async function markVideo(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    await handle.write(randomBytes(32), 0, 32, (await stat(CLIP)).size + 8);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

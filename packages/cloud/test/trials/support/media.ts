import { createCipheriv, randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { deflateSync, crc32 } from 'node:zlib';

const SAMPLE_VIDEO = resolve(import.meta.dirname, '../../../../../test/media/sample-waves-1280x720.mp4');

/** A valid, unique PNG of random noise; about `width * height * 3` bytes. */
export function randomPng(width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  randomBytes(rows.length).copy(rows);
  for (let y = 0; y < height; y++) {
    rows[y * (1 + width * 3)] = 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 0 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const tail = Buffer.alloc(4);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

/**
 * Writes a playable MP4 of exactly `bytes` bytes that takes little disk space: a real clip, then a `free` box that is a
 * hole in a sparse file. `mark` makes it differ from others of the same size.
 */
export async function writeSparseMp4(file: string, bytes: number, mark: string): Promise<void> {
  const clip = await readFile(SAMPLE_VIDEO);
  const paddingBytes = bytes - clip.length;
  if (paddingBytes < 64) {
    throw new RangeError(`a clip of ${clip.length} bytes does not fit into ${bytes}`);
  }
  const head = Buffer.alloc(8 + 32);
  head.writeUInt32BE(paddingBytes, 0);
  head.write('free', 4, 'latin1');
  head.write(mark.slice(0, 32), 8, 'latin1');
  const handle = await open(file, 'w');
  try {
    await handle.write(clip);
    await handle.write(head);
    await handle.truncate(bytes);
  } finally {
    await handle.close();
  }
}

const NOISE_BYTES = 1_048_576;

/** Writes a playable MP4 of exactly `bytes` bytes, of which no part is like another: a real clip, then noise that is skipped. */
export async function writeNoiseMp4(file: string, bytes: number): Promise<void> {
  const clip = await readFile(SAMPLE_VIDEO);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(bytes - clip.length, 0);
  head.write('free', 4, 'latin1');
  const noise = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));
  const zeros = Buffer.alloc(NOISE_BYTES);
  const handle = await open(file, 'w');
  try {
    await handle.write(clip);
    await handle.write(head);
    for (let missing = bytes - clip.length - head.length; missing > 0; missing -= NOISE_BYTES) {
      await handle.write(noise.update(zeros.subarray(0, Math.min(missing, NOISE_BYTES))));
    }
  } finally {
    await handle.close();
  }
}

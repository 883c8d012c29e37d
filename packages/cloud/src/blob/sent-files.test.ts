import { readdir } from 'node:fs/promises';
import pino from 'pino';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { storeBytes } from '../../test/support/blob-store-contract.ts';
import type { SentFile } from '../domain/sent-files.ts';
import { systemClock } from '../system-clock.ts';
import type { BlobStore } from './blob-store.ts';
import { createDiskBlobStore } from './disk-blob-store.ts';
import { createSentFiles } from './sent-files.ts';

const PICTURE = Buffer.from('what a screen shows');

async function setUp({ isOwn = true, change = (blobs: BlobStore) => blobs } = {}) {
  const folder = tempDir();
  const blobs = await createDiskBlobStore(folder, systemClock);
  const sentFiles = createSentFiles({
    blobs: change(blobs),
    mayDelete: async () => isOwn,
    log: pino({ level: 'silent' }),
  });
  return {
    blobs,
    sentFiles,
    save: async (bytes: Buffer): Promise<SentFile> => {
      const { file, release } = await sentFiles.save(bytes);
      await release();
      return file;
    },
    stored: async () =>
      (await readdir(folder, { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name)).length,
    bytesOf: async (file: SentFile) => (await sentFiles.read(async () => file))?.bytes,
  };
}

test('equal bytes are files of their own: one can be deleted while the others stay', async () => {
  const { blobs, sentFiles, save, bytesOf, stored } = await setUp();
  const media = await storeBytes(blobs, PICTURE);
  const [first, second] = [await save(PICTURE), await save(PICTURE)];
  expect(new Set([media.sha256, first.sha256, second.sha256]).size).toBe(3);
  expect(first.size).toBe(PICTURE.length);
  await sentFiles.delete([first, first]);
  expect(await bytesOf(first)).toBeUndefined();
  expect(await bytesOf(second)).toEqual(PICTURE);
  expect(await blobs.find(media.sha256)).toEqual(media);
  await sentFiles.delete([second]);
  expect(await stored()).toBe(1);
});

test('a file of an earlier version, which others may have as well, is read and not deleted', async () => {
  const { blobs, sentFiles, bytesOf } = await setUp();
  const { sha256, size } = await storeBytes(blobs, PICTURE);
  await sentFiles.delete([{ sha256, size }]);
  expect(await bytesOf({ sha256, size })).toEqual(PICTURE);
});

test('of many files all are deleted, and none on the word of a person where the media are those of another database', async () => {
  const [own, foreign] = [await setUp(), await setUp({ isOwn: false })];
  for (const { save, sentFiles, stored } of [own, foreign]) {
    const files: SentFile[] = [];
    for (let index = 0; index < 20; index++) {
      files.push(await save(PICTURE));
    }
    expect(await stored()).toBe(20);
    await sentFiles.deleteForbidden(files);
  }
  expect([await own.stored(), await foreign.stored()]).toEqual([0, 20]);
});

test('what is replaced and deleted while it is read is read as it is then', async () => {
  // Deletes a file after it was found and before it is opened.
  let delayed: (() => Promise<void>) | null = null;
  const { sentFiles, save } = await setUp({
    change: (blobs) => ({
      ...blobs,
      async read(blob, range) {
        const run = delayed;
        delayed = null;
        await run?.();
        return blobs.read(blob, range);
      },
    }),
  });
  const [first, second] = [await save(PICTURE), await save(Buffer.from('what it shows next'))];
  let row: SentFile | undefined = first;
  const find = async () => row;
  delayed = async () => {
    row = second;
    await sentFiles.delete([first]);
  };
  expect(await sentFiles.read(find)).toEqual({ row: second, bytes: Buffer.from('what it shows next') });
  delayed = async () => {
    row = undefined;
    await sentFiles.delete([second]);
  };
  expect(await sentFiles.read(find)).toBeNull();
  row = first;
  expect(await sentFiles.read(find), 'whose file is gone').toBeNull();
});

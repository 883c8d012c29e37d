import pino from 'pino';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { listBlobs } from '../../test/support/blob-store-contract.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { createDiskBlobStore } from '../blob/disk-blob-store.ts';
import { createSentFiles } from '../blob/sent-files.ts';
import { ApiError } from '../domain/api-error.ts';
import { databaseUnavailableError } from '../domain/storage-failure.ts';
import { systemClock } from '../system-clock.ts';
import { storeSent } from './store-sent.ts';

async function setUp() {
  const blobs = await createDiskBlobStore(tempDir(), systemClock);
  const log = pino({ level: 'silent' });
  const sentFiles = createSentFiles({ blobs, mayDelete: async () => true, log });
  const deps = { database: await openTestDatabase(), sentFiles };
  return { deps, stored: async () => (await listBlobs(blobs)).length };
}
const BYTES = Buffer.from('a picture');

test('a file that is refused after it was saved is deleted at once', async () => {
  const { deps, stored } = await setUp();
  const refused = storeSent(deps, BYTES, async () => {
    expect(await stored()).toBe(1);
    throw new ApiError('COMMAND_NOT_FOUND', 'It has been forbidden meanwhile.');
  });
  await expect(refused).rejects.toThrow('forbidden');
  expect(await stored()).toBe(0);
});

test('a file whose row may have been committed stays', async () => {
  const { deps, stored } = await setUp();
  const lost = storeSent(deps, BYTES, () => {
    throw databaseUnavailableError('the answer to the commit was lost', null);
  });
  await expect(lost).rejects.toThrow('lost');
  expect(await stored()).toBe(1);
});

test('what was replaced is deleted after the commit, not when the transaction fails', async () => {
  const { deps, stored } = await setUp();
  const first = await storeSent(deps, BYTES, async (_tx, file) => ({ result: file, replaced: [] }));
  const failing = storeSent(deps, BYTES, async () => {
    throw new ApiError('COMMAND_NOT_FOUND', 'Nobody waits for it.');
  });
  await expect(failing).rejects.toThrow('Nobody');
  expect(await stored()).toBe(1);
  await storeSent(deps, BYTES, async (_tx, file) => ({ result: file, replaced: [first] }));
  expect(await stored()).toBe(1);
  expect((await deps.sentFiles.read(async () => first))?.bytes).toBeUndefined();
});

import { randomBytes } from 'node:crypto';
import { makeId } from '@placard/protocol';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { openTestDatabase } from '../test/support/open-test-database.ts';
import type { OwnerFile } from './blob/owner-file.ts';
import { mediaStoreError } from './domain/storage-failure.ts';
import { startOrganization } from './start-organization.ts';

const FOREIGN = { id: 'another-cloud', turn: 3, organization: 'Other shop' };

async function setUp(reads: readonly (() => Promise<typeof FOREIGN>)[]) {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  const left = [...reads];
  const ownerFile: OwnerFile = {
    location: 's3://media',
    read: () => left.shift()?.() ?? Promise.reject(new Error('read too often')),
    write: () => Promise.reject(new Error('must not be written')),
    delete: () => Promise.reject(new Error('must not be deleted')),
  };
  const start = () =>
    startOrganization({
      options: { port: 0, host: '127.0.0.1', dataDir: tempDir() },
      database,
      blobs: {
        list: () => {
          throw new Error('must not be listed');
        },
      },
      ownerFile,
      newId: (kind) => makeId(kind, 0, randomBytes(16)),
      nowMs: 0,
      log: pino({ level: 'silent' }),
    });
  return { database, start };
}

const unreachable = () => Promise.reject(mediaStoreError('The bucket does not answer.'));
const foreign = () => Promise.resolve(FOREIGN);

test('a first start beside the media of another cloud is refused before there is a key', async () => {
  const { database, start } = await setUp([foreign]);
  await expect(start()).rejects.toThrow('Other shop');
  expect(await database.apiKeys.count()).toBe(0);
});

test('a first start that cannot reach the media gives its key; the next one is refused', async () => {
  const { start } = await setUp([unreachable, foreign]);
  expect((await start()).adminKey).toMatch(/^plk_/);
  await expect(start()).rejects.toThrow('Other shop');
});

import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { diskOwnerFile } from '../blob/owner-file.ts';
import type { OwnerFile } from '../blob/owner-file.ts';
import type { BlobInfo } from '../blob/blob-store.ts';
import { compareOwners } from '../domain/media-owner.ts';
import { createMediaOwnership } from './media-ownership.ts';

async function setUp() {
  const database = await openTestDatabase();
  onTestFinished(() => database.close());
  await database.transaction((tx) => tx.organization.create('Shop', 0));
  const ownerFile = diskOwnerFile(tempDir());
  const errors: unknown[] = [];
  const openNode = (changed: Partial<OwnerFile> = {}, files: readonly BlobInfo[] = []) =>
    createMediaOwnership({
      database,
      blobs: {
        async *list() {
          yield* files;
        },
      },
      ownerFile: { ...ownerFile, ...changed },
      place: 'the-database',
      isSeparate: true,
      log: { error: (details: unknown) => void errors.push(details) },
    });
  return { database, ownerFile, openNode, errors };
}

test.each(['before it reads', 'after it has read', 'before it writes', 'after it has written'])(
  'a node that starts beside another one agrees with it, which does everything %s',
  async (when) => {
    const { database, ownerFile, openNode, errors } = await setUp();
    const runOther = async (moment: string) => {
      if (moment === when) {
        await openNode().requireOwn();
        await openNode().mayDelete();
      }
    };
    const node = openNode({
      async read() {
        await runOther('before it reads');
        const owner = await ownerFile.read();
        await runOther('after it has read');
        return owner;
      },
      async write(owner) {
        await runOther('before it writes');
        await ownerFile.write(owner);
        await runOther('after it has written');
      },
    });
    await node.requireOwn();
    await node.requireOwn();
    expect(await openNode().mayDelete()).toBe(true);
    expect((await ownerFile.read())?.id).toBe((await database.organization.get()).media_id);
    expect(errors).toEqual([]);
  },
);

test('a start that was killed between database and media store goes on with the next one', async () => {
  const { database, ownerFile, openNode } = await setUp();
  const killed = openNode({ write: () => Promise.reject(new Error('killed')) });
  await expect(killed.requireOwn()).rejects.toThrow('killed');
  const { media_id: id } = await database.organization.get();
  expect(id).not.toBeNull();
  await openNode().requireOwn();
  expect(await ownerFile.read()).toMatchObject({ id, organization: 'Shop' });
});

test('the job is told not to delete, with an error in the log, when the media store has another id or none', async () => {
  const { ownerFile, openNode, errors } = await setUp();
  await openNode().requireOwn();
  await ownerFile.write({ id: 'another', turn: 0, organization: 'Other' });
  expect(await openNode().mayDelete()).toBe(false);
  await ownerFile.delete();
  expect(await openNode().mayDelete()).toBe(false);
  expect(errors).toEqual([
    { location: ownerFile.location, message: expect.stringContaining('belong to "Other"') },
    {
      location: ownerFile.location,
      message: expect.stringContaining('of the database the-database are not in'),
    },
  ]);
});

const fileOf = (modifiedMs: number): BlobInfo => ({
  sha256: 'f'.repeat(64),
  size: 1,
  version: '1',
  modifiedMs,
});

test('without ids files that are older than the organization must be known; newer ones may wait to be deleted', async () => {
  const { openNode, database } = await setUp();
  const { created_at: createdMs } = await database.organization.get();
  await expect(openNode({}, [fileOf(createdMs - 3_600_000)]).check()).rejects.toThrow(
    /knows none of the media files .* run the command take-media/,
  );
  await openNode({}, [fileOf(createdMs + 1)]).requireOwn();
});

test.each([
  [{ id: null, turn: 0 }, null, 'new'],
  [{ id: 'a', turn: 0 }, null, 'unwritten'],
  [{ id: 'a', turn: 1 }, null, 'missing'],
  [{ id: null, turn: 0 }, { id: 'a', turn: 0 }, 'other'],
  [{ id: 'b', turn: 5 }, { id: 'a', turn: 0 }, 'other'],
  [{ id: 'a', turn: 4 }, { id: 'a', turn: 5 }, 'behind'],
  [{ id: 'a', turn: 5 }, { id: 'a', turn: 5 }, 'own'],
  [{ id: 'a', turn: 6 }, { id: 'a', turn: 5 }, 'own'],
])('a database with %j and a media store with %j: %s', (database, stored, ownership) => {
  expect(compareOwners(database, stored && { ...stored, organization: '' })).toBe(ownership);
});

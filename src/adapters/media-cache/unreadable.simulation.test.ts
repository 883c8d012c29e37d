import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import { createMediaCacheFixture } from '../../../test/support/media-cache-fixture.ts';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';

const { signal } = new AbortController();
/** Reading its first byte is an I/O error (EIO), like a bad block. */
const BAD_BLOCK = '/proc/self/mem';

/** A cached asset, and ways to make its file unreadable. */
async function setUpFetchedFile() {
  const folder = await createMediaCacheFixture();
  const index = createMemoryDatabase();
  const asset = folder.createAsset('film', 'the bytes of a film');
  const path = join(folder.dir, asset.sha256);
  const cache = await folder.openCache(index);
  await cache.fetch(asset, signal);
  return {
    ...folder,
    index,
    cache,
    sha256: asset.sha256,
    film: asset,
    path,
    /** The file exists but cannot be opened (ELOOP), as when no file handles are left. */
    blockReads: () => {
      renameSync(path, `${path}.away`);
      symlinkSync(path, path);
    },
    unblockReads: () => renameSync(`${path}.away`, path),
    breakBlock: () => {
      rmSync(path);
      symlinkSync(BAD_BLOCK, path);
    },
    unreadEvents: () => folder.log.events.filter(({ event }) => event === 'media.read_failed'),
  };
}

describe('a file that cannot be read because of a system error', () => {
  test('stays cached, is logged once, and is valid again when it can be read', async () => {
    const { cache, index, sha256, blockReads, unblockReads, unreadEvents } = await setUpFetchedFile();
    blockReads();
    expect(await cache.verify(sha256)).toBe(null);
    expect(await cache.find(sha256)).toBe(null);
    expect(await cache.verify(sha256, signal)).toBe(null);
    expect(cache.cachedHashes().has(sha256)).toBe(true);
    expect(index.listMedia()).toHaveLength(1);
    expect(unreadEvents()).toMatchObject([{ details: { sha256, reason: 'ELOOP' } }]);
    unblockReads();
    expect(await cache.verify(sha256)).toBe(true);
    expect(await cache.find(sha256)).toMatchObject({ size: 19 });
    blockReads();
    expect(await cache.verify(sha256)).toBe(null);
    expect(unreadEvents()).toHaveLength(2);
  });

  test('does not prevent the start, and stays cached', async () => {
    const { openCache, index, sha256, blockReads, unblockReads } = await setUpFetchedFile();
    blockReads();
    const again = await openCache(index);
    expect(again.cachedHashes().has(sha256)).toBe(true);
    unblockReads();
    expect(await again.verify(sha256)).toBe(true);
  });

  test('is not replaced by a download while its content is unknown', async () => {
    const { openCache, index, film, cloud, blockReads, unblockReads } = await setUpFetchedFile();
    index.removeMedia(film.sha256);
    const again = await openCache(index);
    blockReads();
    await expect(again.fetch(film, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
    unblockReads();
    await again.fetch(film, signal);
    expect(cloud.received.mediaRequests).toHaveLength(1);
  });

  test('does not discard the part of a download when only its ETag file is unreadable', async () => {
    const { dir, openCache, cloud, createAsset } = await createMediaCacheFixture();
    const one = createAsset('other', 'the bytes of another film');
    const part = join(dir, `${one.sha256}.part`);
    writeFileSync(part, 'the bytes of');
    symlinkSync(`${part}.etag`, `${part}.etag`);
    const cache = await openCache(createMemoryDatabase());
    await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
    rmSync(`${part}.etag`);
    writeFileSync(`${part}.etag`, `"/media/${one.sha256}"`);
    await cache.fetch(one, signal);
    expect(cloud.received.mediaRequests.map(({ range }) => range)).toEqual(['bytes=12-']);
  });
});

describe.runIf(process.platform === 'linux')('a file with a bad block', () => {
  test('is not shown any more, but stays on the disk until a good copy replaces it', async () => {
    const { cache, cloud, index, film, path, sha256, breakBlock } = await setUpFetchedFile();
    breakBlock();
    cloud.handleRoute('/media/', (_request, response) => void response.writeHead(503).end());
    expect(await cache.verify(sha256)).toBe(false);
    expect(cache.cachedHashes().size).toBe(0);
    expect(index.listMedia()).toEqual([]);
    await expect(cache.fetch(film, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    cloud.handleRoute('/media/', null);
    await cache.fetch(film, signal);
    expect(readFileSync(path, 'utf8')).toBe('the bytes of a film');
    expect(await cache.verify(sha256)).toBe(true);
  });

  test('is adopted without a download when the disk can read it again', async () => {
    const { cache, cloud, film, path, sha256, breakBlock } = await setUpFetchedFile();
    breakBlock();
    expect(await cache.verify(sha256)).toBe(false);
    rmSync(path);
    writeFileSync(path, 'the bytes of a film');
    await cache.fetch(film, signal);
    expect(cloud.received.mediaRequests).toHaveLength(1);
    expect(cache.cachedHashes().has(sha256)).toBe(true);
  });
});

test.each(['disk.full', 'disk.readonly'] as const)(
  'a lost file on a disk that is not writable (%s) does not prevent the start and is not shown',
  async (code) => {
    const { openCache, index, path, sha256, log } = await setUpFetchedFile();
    rmSync(path);
    const stuck = {
      ...index,
      removeMedia() {
        throw new Fault(code, 'later');
      },
    };
    const again = await openCache(stuck);
    expect(again.cachedHashes().has(sha256)).toBe(false);
    expect(log.events).toContainEqual(expect.objectContaining({ event: 'media.row_delete_failed' }));
  },
);

test('a wrong file that cannot be deleted does not prevent the start and is not shown', async () => {
  const { openCache, index, path, sha256, log } = await setUpFetchedFile();
  rmSync(path);
  mkdirSync(path);
  const again = await openCache(index);
  expect(again.cachedHashes().has(sha256)).toBe(false);
  expect(log.events).toContainEqual(expect.objectContaining({ event: 'media.remove_failed' }));
});

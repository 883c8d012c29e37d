import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import { createMediaFolder } from '../../../test/support/media-folder.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';

const { signal } = new AbortController();
/** Reading the first byte of it is an I/O error (EIO), as of a bad block. */
const BAD_BLOCK = '/proc/self/mem';

/** One asset that was fetched, and what may come between it and its reader. */
async function fetched() {
  const folder = await createMediaFolder();
  const index = createMemoryStore();
  const asset = folder.asset('film', 'the bytes of a film');
  const path = join(folder.dir, asset.sha256);
  const cache = await folder.open(index);
  await cache.fetch(asset, signal);
  return {
    ...folder,
    index,
    cache,
    sha256: asset.sha256,
    film: asset,
    path,
    /** The file is there, and no open gets at it (ELOOP), as when there are no more handles. */
    lockOut: () => {
      renameSync(path, `${path}.away`);
      symlinkSync(path, path);
    },
    letIn: () => renameSync(`${path}.away`, path),
    breakBlock: () => {
      rmSync(path);
      symlinkSync(BAD_BLOCK, path);
    },
    told: () => folder.log.events.filter(({ event }) => event === 'media.unread'),
  };
}

describe('a file that cannot be read for a reason of the box', () => {
  test('stays and is held, is told once, and is right when it is looked at again', async () => {
    const { cache, index, sha256, lockOut, letIn, told } = await fetched();
    lockOut();
    expect(await cache.verify(sha256)).toBe(null);
    expect(await cache.find(sha256)).toBe(null);
    expect(await cache.verify(sha256, signal)).toBe(null);
    expect(cache.held().has(sha256)).toBe(true);
    expect(index.listMedia()).toHaveLength(1);
    expect(told()).toMatchObject([{ facts: { sha256, reason: 'ELOOP' } }]);
    letIn();
    expect(await cache.verify(sha256)).toBe(true);
    expect(await cache.find(sha256)).toMatchObject({ size: 19 });
    lockOut();
    expect(await cache.verify(sha256)).toBe(null);
    expect(told()).toHaveLength(2);
  });

  test('keeps no player from starting, and is held by it', async () => {
    const { open, index, sha256, lockOut, letIn } = await fetched();
    lockOut();
    const again = await open(index);
    expect(again.held().has(sha256)).toBe(true);
    letIn();
    expect(await again.verify(sha256)).toBe(true);
  });

  test('is not downloaded over while nobody knows what it holds', async () => {
    const { open, index, film, cloud, lockOut, letIn } = await fetched();
    index.removeMedia(film.sha256);
    const again = await open(index);
    lockOut();
    await expect(again.fetch(film, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
    letIn();
    await again.fetch(film, signal);
    expect(cloud.seen.mediaRequests).toHaveLength(1);
  });

  test('costs no part of a download, if it is but the name that the server gave it', async () => {
    const { dir, open, cloud, asset } = await createMediaFolder();
    const one = asset('other', 'the bytes of another film');
    const part = join(dir, `${one.sha256}.part`);
    writeFileSync(part, 'the bytes of');
    symlinkSync(`${part}.etag`, `${part}.etag`);
    const cache = await open(createMemoryStore());
    await expect(cache.fetch(one, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
    rmSync(`${part}.etag`);
    writeFileSync(`${part}.etag`, `"/media/${one.sha256}"`);
    await cache.fetch(one, signal);
    expect(cloud.seen.mediaRequests.map(({ range }) => range)).toEqual(['bytes=12-']);
  });
});

describe.runIf(process.platform === 'linux')('a file of which the disk has lost a block', () => {
  test('is shown no more, but lies where it is until a sound one takes its place', async () => {
    const { cache, cloud, index, film, path, sha256, breakBlock } = await fetched();
    breakBlock();
    cloud.script('/media/', (_request, response) => void response.writeHead(503).end());
    expect(await cache.verify(sha256)).toBe(false);
    expect(cache.held().size).toBe(0);
    expect(index.listMedia()).toEqual([]);
    await expect(cache.fetch(film, signal)).rejects.toMatchObject({ code: 'asset.download_failed' });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    cloud.script('/media/', null);
    await cache.fetch(film, signal);
    expect(readFileSync(path, 'utf8')).toBe('the bytes of a film');
    expect(await cache.verify(sha256)).toBe(true);
  });

  test('is taken on again without a download when the disk gives it back', async () => {
    const { cache, cloud, film, path, sha256, breakBlock } = await fetched();
    breakBlock();
    expect(await cache.verify(sha256)).toBe(false);
    rmSync(path);
    writeFileSync(path, 'the bytes of a film');
    await cache.fetch(film, signal);
    expect(cloud.seen.mediaRequests).toHaveLength(1);
    expect(cache.held().has(sha256)).toBe(true);
  });
});

test.each(['disk.full', 'disk.readonly'] as const)(
  'what is lost on a disk that takes no rows (%s) keeps no player from starting, and is not shown',
  async (code) => {
    const { open, index, path, sha256, log } = await fetched();
    rmSync(path);
    const stuck = {
      ...index,
      removeMedia() {
        throw new Fault(code, 'later');
      },
    };
    const again = await open(stuck);
    expect(again.held().has(sha256)).toBe(false);
    expect(log.events).toContainEqual(expect.objectContaining({ event: 'media.row_left' }));
  },
);

test('what is wrong and cannot be deleted keeps no player from starting, and is not shown', async () => {
  const { open, index, path, sha256, log } = await fetched();
  rmSync(path);
  mkdirSync(path);
  const again = await open(index);
  expect(again.held().has(sha256)).toBe(false);
  expect(log.events).toContainEqual(expect.objectContaining({ event: 'media.not_removed' }));
});

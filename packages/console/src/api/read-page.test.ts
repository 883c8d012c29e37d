import { expect, test } from 'vitest';
import { PAGE_SIZE, readPage } from './read-page.ts';

/** Reads pages of a list with so many rows, as the API does. */
const listOf =
  (total: number) =>
  async ({ page, limit }: { page: number; limit: number }) => ({
    data: Array.from({ length: total }, (_, index) => index).slice((page - 1) * limit, page * limit),
    meta: { total },
  });

test('a page is read with how many there are', async () => {
  const { rows, page, pages } = await readPage(2, listOf(PAGE_SIZE + 3));
  expect([rows, page, pages]).toEqual([[50, 51, 52], 2, 2]);
});

test('of a list that has become shorter the last page is read', async () => {
  const { rows, page, pages } = await readPage(7, listOf(PAGE_SIZE));
  expect([rows.length, page, pages]).toEqual([PAGE_SIZE, 1, 1]);
});

test('a list without rows is empty on every page', async () => {
  expect(await readPage(3, listOf(0))).toEqual({ rows: [], page: 3, pages: 0 });
});

import type { Page, PageMeta } from '@placard/client';

/** Rows on a page. */
export const PAGE_SIZE = 50;

/** A page of a list, counted from 1; the last one when the list has become shorter meanwhile. */
export async function readPage<T>(
  page: number,
  read: (query: {
    page: number;
    limit: number;
  }) => Promise<Pick<Page<T>, 'data'> & { meta: Pick<PageMeta, 'total'> }>,
): Promise<{ rows: readonly T[]; page: number; pages: number }> {
  const { data, meta } = await read({ page, limit: PAGE_SIZE });
  const pages = Math.ceil((meta.total ?? 0) / PAGE_SIZE);
  return pages > 0 && page > pages ? readPage(pages, read) : { rows: data, page, pages };
}

import type { Result } from './types.ts';

/** Where in a list a part is: numbered pages have `page` and `total`, others a cursor that continues after the part. */
export interface PageMeta {
  limit: number;
  page?: number;
  total?: number;
  next_cursor?: string | null;
  has_more?: boolean;
}

/** A part of a list. */
export interface Page<T> {
  data: T[];
  meta: PageMeta;
}

/** A list that is read while it is walked through: `for await (const device of placard.devices.list())`. */
export interface Pages<T> extends AsyncIterable<T> {
  /** One page: the first, or the one of `page` or `cursor` in the query. */
  page(): Promise<Page<T>>;
  /** Page by page, from there to the end. */
  pages(): AsyncIterable<Page<T>>;
  /** All of it. */
  toArray(): Promise<T[]>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fewer requests than with the limit that the API uses by itself. */
const LARGEST_LIMIT = 100;

/**
 * The list that `send` returns parts of. What comes or goes while it is read shifts numbered pages, but not the parts of a list
 * that continues by cursor: `start` is the query that begins such a list.
 */
export function createPages<T>(
  send: (query: Fields) => Promise<Result>,
  query: Fields = {},
  start: Fields = {},
): Pages<T> {
  const readPage = async (more: Fields): Promise<Page<T>> => {
    const { data, meta } = await send({ ...query, ...more });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return { data: data as T[], meta: meta as PageMeta };
  };

  async function* pages(): AsyncGenerator<Page<T>> {
    const limit = query['limit'] ?? LARGEST_LIMIT;
    const hasPlace = ['page', 'cursor', 'since'].some((name) => query[name] !== undefined);
    for (let next: Fields | null = { ...(hasPlace ? {} : start), limit }; next !== null;) {
      const page: Page<T> = await readPage(next);
      yield page;
      const after = nextOf(page.meta);
      next = after && { ...after, limit };
    }
  }

  async function* items(): AsyncGenerator<T> {
    for await (const { data } of pages()) {
      yield* data;
    }
  }

  return {
    page: () => readPage({}),
    pages,
    async toArray() {
      const all: T[] = [];
      for await (const item of items()) {
        all.push(item);
      }
      return all;
    },
    [Symbol.asyncIterator]: items,
  };
}

/** What asks for the part that follows; null at the end. */
function nextOf({ limit, page, total, next_cursor: cursor, has_more: hasMore }: PageMeta): Fields | null {
  if (cursor !== undefined) {
    return hasMore === true && cursor !== null ? { cursor, page: undefined, since: undefined } : null;
  }
  return page !== undefined && page * limit < (total ?? 0) ? { page: page + 1 } : null;
}

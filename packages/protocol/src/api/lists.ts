import { z } from 'zod';
import { cursorMeta, meta, paging } from './fields.ts';
import type { Operation } from './operation.ts';

/** Begins a list that goes on by cursor. */
export const FIRST_CURSOR = 'first';

const listCursor = z
  .string()
  .regex(
    /^[\w-]{1,2000}$/,
    `must be \`${FIRST_CURSOR}\`, or \`meta.next_cursor\` of the part of the list before this one`,
  )
  .meta({
    description:
      `\`${FIRST_CURSOR}\`, then \`meta.next_cursor\` of each answer until it is null: rows that are added or removed ` +
      'meanwhile neither shift nor repeat the others. `meta` has `limit`, `next_cursor` and `has_more` then; nothing is counted',
    example: FIRST_CURSOR,
  });

/** `page` or `cursor`, and `limit`, of a list that has both. Its query needs `.refine(...pageOrCursor)`. */
export const listPaging = { ...paging, cursor: listCursor.optional() };

interface PlaceInList {
  page: number;
  cursor?: string | undefined;
}

export const pageOrCursor: [(query: PlaceInList) => boolean, { path: string[]; message: string }] = [
  ({ page, cursor }) => cursor === undefined || page === 1,
  { path: ['page'], message: 'cannot be sent together with cursor' },
];

/** A field that a list is sorted by: from the lowest, or with a minus from the highest. Ties are broken by id. */
export const sortBy = <F extends string>(...fields: F[]) =>
  z.enum(fields.flatMap((field) => [field, `-${field}`] as const)).meta({
    description:
      'Begins with the lowest, with a minus with the highest; default `-created_at`. In `name`, A–Z are the same as a–z',
  });

/** `meta` of the answers of a list. */
export const metaOf = ({ list }: Pick<Operation, 'list'>): z.ZodType =>
  ({ page: meta, cursor: cursorMeta, 'page or cursor': z.union([meta, cursorMeta]) })[list ?? 'page'];

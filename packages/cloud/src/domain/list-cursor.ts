import { validationError } from './api-error.ts';

/** The place of a row in a sorted list: what the list is sorted by, then the id. */
export interface ListPosition {
  value: string | number;
  id: string;
}

/** What a cursor belongs to, so that it is not taken for a place in another list. */
export interface CursorList {
  /** The table. */
  name: string;
  /** Such as `-created_at`. */
  sort: string;
  /** The type of the values that it is sorted by. */
  valueType: 'string' | 'number';
}

/** The text from which `decodeCursor` reads the position. */
export const encodeCursor = ({ name, sort }: CursorList, { value, id }: ListPosition): string =>
  Buffer.from(JSON.stringify([name, sort, value, id])).toString('base64url');

/** Throws a validation error for a text that is no cursor of this list. */
export function decodeCursor(list: CursorList, text: string): ListPosition {
  const [name, sort, value, id, ...more] = parseArray(text);
  if (
    name !== list.name ||
    sort !== list.sort ||
    typeof id !== 'string' ||
    more.length > 0 ||
    !(typeof value === 'string' || Number.isSafeInteger(value)) ||
    typeof value !== list.valueType ||
    !isStorable(id) ||
    !isStorable(String(value))
  ) {
    throw validationError([
      {
        path: 'cursor',
        message:
          'is not a cursor of this list with this sort: send `meta.next_cursor` of the answer before as it is, or begin ' +
          'again with cursor=first',
      },
    ]);
  }
  return { value: typeof value === 'string' ? value : Number(value), id };
}

function parseArray(text: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/** PostgreSQL stores neither U+0000 nor half a character. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

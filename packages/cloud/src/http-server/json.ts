import { ApiError, validationError } from '../domain/api-error.ts';
import { errorMessage } from '../domain/error-details.ts';

const MAX_DEPTH = 32;
/** Making one takes longer than a small message. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Object fields plus list entries in one body; the largest request, a playlist of 2,000 items as it was read, has 24,000. */
const MAX_ENTRIES = 25_000;

export interface ParseJsonOptions {
  maxEntries?: number;
  /**
   * The character U+0000, which PostgreSQL does not store, is left out of texts. Devices pass on what they read from
   * their hardware, sometimes with such an end, and could not correct it.
   */
  removesNul?: boolean;
}

/**
 * Parses untrusted JSON, such as a body. Returns undefined for empty input: many clients send a content type without
 * a body.
 */
export function parseJson(
  bytes: Buffer,
  { maxEntries = MAX_ENTRIES, removesNul = false }: ParseJsonOptions = {},
): unknown {
  if (bytes.length === 0) {
    return undefined;
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new ApiError('MALFORMED_JSON', 'The body is not UTF-8 text.');
  }
  const { depth, entries } = measureJson(text);
  if (depth > MAX_DEPTH) {
    throw new ApiError('MALFORMED_JSON', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  }
  if (entries > maxEntries) {
    throw validationError([{ path: '', message: `must have at most ${maxEntries} fields and list entries` }]);
  }
  try {
    // JSON has it in this form only.
    return removesNul && text.includes(String.raw`\u0000`) ? JSON.parse(text, removeNul) : JSON.parse(text);
  } catch (cause) {
    throw new ApiError('MALFORMED_JSON', `The body is not JSON: ${errorMessage(cause)}`, { cause });
  }
}

const removeNul = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? value.replaceAll('\0', '') : value;

/** The paths of texts with the character U+0000 in a value that was parsed. */
export function pathsWithNul(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') {
    return value.includes('\0') ? [path.join('.')] : [];
  }
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, entry]) => pathsWithNul(entry, [...path, key]))
    : [];
}

/** JSON text that is the same for equal values, regardless of the order of object keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}

const [QUOTE, COMMA] = [0x22, 0x2c];
const [OPENING_BRACE, CLOSING_BRACE, OPENING_BRACKET, CLOSING_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Nesting depth, and an upper bound of fields and list entries (one per bracket and comma), measured before
 * JSON.parse allocates anything.
 */
function measureJson(text: string): { depth: number; entries: number } {
  let depth = 0;
  let deepest = 0;
  let entries = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case COMMA:
        entries++;
        break;
      case OPENING_BRACE:
      case OPENING_BRACKET:
        entries++;
        deepest = Math.max(deepest, ++depth);
        break;
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        depth--;
        break;
      default:
    }
  }
  return { depth: deepest, entries };
}

/** Where the string ends that starts at `start`. Searching for its quote takes half the time of reading each character. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
  } while (isEscaped(text, end));
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes is before the character. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text[first - 1] === '\\') {
    first--;
  }
  return (index - first) % 2 === 1;
}

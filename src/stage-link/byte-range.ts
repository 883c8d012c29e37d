/** The requested bytes of a file; `end` is inclusive. */
export type ByteRange =
  { kind: 'all' } | { kind: 'part'; start: number; end: number } | { kind: 'unsatisfiable' };

const ALL: ByteRange = { kind: 'all' };

/**
 * Parses a `Range` header for a file of `size` bytes (RFC 9110, 14.2). For a missing or malformed header, or
 * several ranges, the whole file is returned, as the RFC allows.
 */
export function byteRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '');
  if (!match) {
    return ALL;
  }
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') {
      return ALL;
    }
    const suffix = Number(last);
    if (suffix === 0 || size === 0) {
      return { kind: 'unsatisfiable' };
    }
    return { kind: 'part', start: Math.max(0, size - suffix), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) {
    return ALL;
  }
  if (start >= size) {
    return { kind: 'unsatisfiable' };
  }
  return { kind: 'part', start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

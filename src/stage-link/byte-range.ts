/** Which bytes of a file a request asks for; `end` is inclusive. */
export type ByteRange =
  { kind: 'all' } | { kind: 'part'; start: number; end: number } | { kind: 'unsatisfiable' };

const ALL: ByteRange = { kind: 'all' };

/**
 * Reads a `Range` header against a file of `size` bytes (RFC 9110, 14.2). A header that is absent, malformed
 * or asks for several ranges is answered with the whole file, as the RFC allows.
 */
export function byteRange(header: string | undefined, size: number): ByteRange {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.replaceAll(' ', '') ?? '');
  if (!match) return ALL;
  const [, first = '', last = ''] = match;
  if (first === '') {
    if (last === '') return ALL;
    const suffix = Number(last);
    if (suffix === 0 || size === 0) return { kind: 'unsatisfiable' };
    return { kind: 'part', start: Math.max(0, size - suffix), end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return ALL;
  if (start >= size) return { kind: 'unsatisfiable' };
  return { kind: 'part', start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

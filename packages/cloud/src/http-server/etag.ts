/** Whether the `If-None-Match` header names the ETag, so that the response is 304. */
export const etagMatches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header
    .split(',')
    .map((each) => each.trim().replace(/^W\//, ''))
    .some((each) => each === '*' || each === etag);

interface EntityTag {
  isWeak: boolean;
  /** With its quotes. */
  tag: string;
}

/** The ETags of an `If-Match` header as RFC 9110 writes it; null when it is something else. */
export function parseIfMatch(header: string): '*' | EntityTag[] | null {
  if (header.trim() === '*') {
    return '*';
  }
  const tags: EntityTag[] = [];
  const next = /[ \t]*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y;
  while (next.lastIndex < header.length) {
    const [, weak, tag] = next.exec(header) ?? [];
    if (tag === undefined) {
      return null;
    }
    tags.push({ isWeak: weak !== undefined, tag });
  }
  return tags.length === 0 ? null : tags;
}

/** The ETags of an `If-Match` or `If-None-Match` header. */
export const tagsOf = (header: string): string[] =>
  header.split(',').map((each) => each.trim().replace(/^W\//, ''));

/** Whether the `If-None-Match` header names the ETag, so that the response is 304. */
export const etagMatches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && tagsOf(header).some((each) => each === '*' || each === etag);

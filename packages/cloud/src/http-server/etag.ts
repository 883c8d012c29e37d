import { createHash } from 'node:crypto';

const tagsOf = (header: string): string[] => header.split(',').map((each) => each.trim().replace(/^W\//, ''));

/** Whether the `If-None-Match` header names the ETag, so that the response is 304. */
export const etagMatches = (header: string | undefined, etag: string): boolean =>
  header !== undefined && tagsOf(header).some((each) => each === '*' || each === etag);

/**
 * The ETag of a resource. Of one that also reports its state, such as a device, it has two parts: the first is of what a
 * client can change.
 */
export function resourceEtag(json: string, settings?: unknown): string {
  const whole = hashOf(json);
  return settings === undefined ? `"${whole}"` : `"${hashOf(JSON.stringify(settings))}.${whole}"`;
}

/** Whether the `If-Match` header allows a change: of an ETag with two parts only the first counts. */
export const allowsChange = (header: string, etag: string): boolean =>
  tagsOf(header).some((each) => each === '*' || firstPart(each) === firstPart(etag));

const firstPart = (etag: string): string => etag.replace(/\..*/, '').replaceAll('"', '');

const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest().subarray(0, 12).toString('base64url');

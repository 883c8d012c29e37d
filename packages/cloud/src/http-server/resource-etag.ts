import type { FastifyRequest } from 'fastify';
import { ApiError } from '../domain/api-error.ts';
import type { Transaction } from '../database/cloud-database.ts';
import { etagMatches, tagsOf } from './etag.ts';
import type { HandlerResult, Resource } from './operation-route.ts';
import { sha256Base64url } from './secrets.ts';

/** A longer resource is sent in slices. */
const MAX_TEXT = 16_384;

/** Throws unless the resource is still the one of the `If-Match` header, if there is one. */
export async function requireMatch(
  { read, settingsOf }: Resource,
  { method, headers }: FastifyRequest,
  params: unknown,
  tx: Transaction,
): Promise<void> {
  const condition = headers['if-match'];
  if (condition === undefined || method === 'POST') {
    return;
  }
  const data = await read(tx, params);
  if (!allowsChange(condition, resourceEtag(JSON.stringify(data), settingsOf?.(data)))) {
    throw new ApiError(
      'PRECONDITION_FAILED',
      'Somebody else has changed this since you read it. Nothing was changed: read it again, and repeat your change.',
    );
  }
}

/** Adds the ETag of a resource; the response to GET is 304 when the client has it already. */
export function withEtag(
  result: HandlerResult<unknown>,
  { settingsOf }: Resource,
  { method, headers }: FastifyRequest,
): HandlerResult<unknown> {
  if (method === 'DELETE' || !('data' in result)) {
    return result;
  }
  const json = JSON.stringify(result.data);
  const etag = resourceEtag(json, settingsOf?.(result.data));
  if (method !== 'PATCH' && etagMatches(headers['if-none-match'], etag)) {
    return { emptyStatus: 304, headers: { etag } };
  }
  return {
    json: json.length <= MAX_TEXT ? json : [Buffer.from(json)],
    headers: { ...result.headers, etag },
  };
}

/**
 * The ETag of a resource. Of one that also reports its state, such as a device, it has two parts: the first is of what a
 * client can change.
 */
function resourceEtag(json: string, settings?: unknown): string {
  const whole = hashOf(json);
  return settings === undefined ? `"${whole}"` : `"${hashOf(JSON.stringify(settings))}.${whole}"`;
}

/** Whether the `If-Match` header allows a change: of an ETag with two parts only the first counts. */
const allowsChange = (header: string, etag: string): boolean =>
  tagsOf(header).some((each) => each === '*' || firstPart(each) === firstPart(etag));

const firstPart = (etag: string): string => etag.replace(/\..*/, '').replaceAll('"', '');

/** The first 96 bits, in base64url. */
const hashOf = (text: string): string => sha256Base64url(text).slice(0, 16);

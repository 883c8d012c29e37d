import type { Problem } from '@placard/protocol/api';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../domain/api-error.ts';
import type { Transaction } from '../database/cloud-database.ts';
import { etagMatches, parseIfMatch } from './etag.ts';
import type { HandlerResult, Resource } from './operation-route.ts';
import { sha256Base64url } from './secrets.ts';

/** A longer resource is sent in slices. */
const MAX_TEXT = 16_384;

/** What is wrong with the `If-Match` header of a change of a resource. */
export function findConditionProblems({ method, headers }: FastifyRequest): Problem[] {
  const condition = headers['if-match'];
  return condition === undefined || !isConditional(method) || parseIfMatch(condition) !== null
    ? []
    : [
        {
          path: 'if-match',
          message:
            'must be the `ETag` of a response to GET of this resource, with its quotes, such as "mJ3x0Q2k9VbT7c1Z"; ' +
            'several are separated by commas, and * is any',
        },
      ];
}

const isConditional = (method: string): boolean => !['GET', 'HEAD'].includes(method);

/** Throws unless the resource is still the one of the `If-Match` header, if there is one. */
export async function requireMatch(
  { read, settingsOf }: Resource,
  { method, headers, caller }: FastifyRequest,
  params: unknown,
  tx: Transaction,
): Promise<void> {
  const condition = headers['if-match'];
  if (condition === undefined || !isConditional(method)) {
    return;
  }
  const data = await read(tx, params, caller?.actor?.stores ?? undefined);
  const expected = parseIfMatch(condition) ?? [];
  if (expected === '*') {
    return;
  }
  const current = firstPart(resourceEtag(JSON.stringify(data), settingsOf?.(data)));
  const same = expected.filter(({ tag }) => firstPart(tag) === current);
  if (!same.some(({ isWeak }) => !isWeak)) {
    throw new ApiError('PRECONDITION_FAILED', same.length > 0 ? ONLY_WEAK : CHANGED);
  }
}

const CHANGED =
  'Somebody else has changed this since you read it. Nothing was changed: read it again, and repeat your change.';
const ONLY_WEAK =
  'A weak ETag (W/"…") never matches in If-Match (RFC 9110). Nothing was changed: send the ETag as the cloud returned it, ' +
  'without W/. A proxy that compresses responses may have added that.';

/** Adds the ETag of a resource; the response to GET is 304 when the client has it already. */
export function withEtag(
  result: HandlerResult<unknown>,
  { settingsOf }: Pick<Resource, 'settingsOf'>,
  { method, headers }: FastifyRequest,
): HandlerResult<unknown> {
  if (method === 'DELETE' || !('data' in result)) {
    return result;
  }
  const json = JSON.stringify(result.data);
  const etag = resourceEtag(json, settingsOf?.(result.data));
  if (!isConditional(method) && etagMatches(headers['if-none-match'], etag)) {
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

/** Of an ETag with two parts only this counts for a change. */
const firstPart = (etag: string): string => etag.replace(/\..*/, '').replaceAll('"', '');

/** The first 96 bits, in base64url. */
const hashOf = (text: string): string => sha256Base64url(text).slice(0, 16);

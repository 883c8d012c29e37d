import { TUS_VERSION } from '@placard/protocol/api';
import type { Json } from './openapi-components.ts';

/** The description of a header of responses. */
export const header = (description: string, type: 'integer' | 'string', more: Json = {}): Json => ({
  description,
  schema: { type, ...more },
});

/** Headers of responses about resumable uploads. */
const UPLOAD_HEADERS: Json = {
  Location: header('The URL of the upload', 'string'),
  'Tus-Resumable': header('The version of tus', 'string', { const: TUS_VERSION }),
  'Upload-Offset': header('Bytes that are stored; the upload continues there', 'integer'),
  'Upload-Length': header('Bytes of the whole file', 'integer'),
  'Upload-Metadata': header('As it was sent when the upload began; left out if there was none', 'string'),
  'Upload-Expires': header('When the upload is deleted unless it continues (RFC 9110 date)', 'string'),
  'Placard-Asset': header('Only of a finished upload: the id of its asset', 'string'),
};

const ONLY_AUTHENTICATED = 'Only in responses to an authenticated key, person or device.';
/** Headers of responses, by name. */
export const HEADERS: Json = {
  'X-Request-Id': header(
    'The id of the request: the one that was sent, if it has at most 100 letters, digits, `.`, `_` and `-`',
    'string',
  ),
  'Retry-After': header('Seconds to wait before the next attempt', 'integer'),
  'RateLimit-Limit': header(
    `Requests per minute of this key, session or device. ${ONLY_AUTHENTICATED}`,
    'integer',
  ),
  'RateLimit-Remaining': header(`Requests left. ${ONLY_AUTHENTICATED}`, 'integer'),
  'RateLimit-Reset': header(
    `Seconds until at least one more request is allowed. ${ONLY_AUTHENTICATED}`,
    'integer',
  ),
  'Idempotency-Replayed': header('Only on a stored response that is sent again', 'string', { const: 'true' }),
  'WWW-Authenticate': header('How to authenticate', 'string', {
    const: 'Bearer',
  }),
  ETag: header('The revision, in quotes, for `If-None-Match`', 'string'),
  Link: header(
    'The first, previous, next and last page, those that exist: `<https://…?page=2>; rel="next"` (RFC 8288); with ' +
      '`cursor` the next part',
    'string',
  ),
  'Placard-Ignored-Fields': header(
    'The read-only fields of the body, which had no effect: `created_at, id`; left out if there were none',
    'string',
  ),
  'Content-Disposition': header('The name of the file', 'string'),
  ...UPLOAD_HEADERS,
};

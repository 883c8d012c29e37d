import { z } from 'zod';

/**
 * Every error of the public API: its HTTP status and one sentence of documentation.
 * A code never changes its meaning.
 */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, summary: 'The request is not valid; `details` lists every problem.' },
  MALFORMED_JSON: { status: 400, summary: 'The body is not JSON.' },
  UNAUTHORIZED: {
    status: 401,
    summary: 'The key is missing, malformed, unknown, expired or revoked, or the session has ended.',
  },
  SIGN_IN_FAILED: {
    status: 401,
    summary: 'The e-mail address, the password, the code or the passkey is wrong.',
  },
  DEVICE_UNPAIRED: { status: 401, summary: 'This device was removed; it has to be paired again.' },
  INSUFFICIENT_SCOPE: {
    status: 403,
    summary: 'The scope of the key, or the role of the person, does not allow this operation.',
  },
  SESSION_REQUIRED: { status: 403, summary: 'Only a person who has signed in can do this, not a key.' },
  STORE_NOT_ALLOWED: {
    status: 403,
    summary: 'The person is bound to stores, and this would concern more than these.',
  },
  ORIGIN_NOT_ALLOWED: {
    status: 403,
    summary: 'The request was not sent by a page of this cloud: its `Origin` is missing or another.',
  },
  DEVICE_NOT_FOUND: { status: 404, summary: 'The requested device does not exist.' },
  CONTENT_NOT_FOUND: { status: 404, summary: 'The requested content does not exist.' },
  PLAYLIST_NOT_FOUND: { status: 404, summary: 'The requested playlist does not exist.' },
  DEPLOYMENT_NOT_FOUND: { status: 404, summary: 'The requested deployment does not exist.' },
  SCHEDULE_NOT_FOUND: { status: 404, summary: 'The requested schedule does not exist.' },
  STORE_NOT_FOUND: { status: 404, summary: 'The requested store does not exist.' },
  FOLDER_NOT_FOUND: { status: 404, summary: 'The requested folder does not exist.' },
  ITEM_NOT_FOUND: { status: 404, summary: 'The requested playlist item does not exist.' },
  OPERATION_NOT_FOUND: { status: 404, summary: 'The requested operation does not exist.' },
  ROLLOUT_NOT_FOUND: { status: 404, summary: 'The requested rollout does not exist.' },
  ALERT_RULE_NOT_FOUND: { status: 404, summary: 'The requested rule for alerts does not exist.' },
  ALERT_MUTE_NOT_FOUND: { status: 404, summary: 'The requested mute does not exist, or is over.' },
  ALERT_NOT_FOUND: {
    status: 404,
    summary: 'The requested alert does not exist, or was resolved too long ago to keep.',
  },
  COMMAND_NOT_FOUND: { status: 404, summary: 'The requested command does not exist.' },
  WEBHOOK_NOT_FOUND: { status: 404, summary: 'The requested webhook does not exist.' },
  DELIVERY_NOT_FOUND: { status: 404, summary: 'The requested webhook delivery does not exist.' },
  KEY_NOT_FOUND: { status: 404, summary: 'The requested API key does not exist.' },
  USER_NOT_FOUND: { status: 404, summary: 'The requested person does not exist.' },
  INVITATION_NOT_FOUND: { status: 404, summary: 'The requested invitation does not exist.' },
  SESSION_NOT_FOUND: { status: 404, summary: 'The requested session does not exist, or has ended.' },
  PASSKEY_NOT_FOUND: { status: 404, summary: 'The requested passkey does not exist.' },
  PAIRING_CODE_NOT_FOUND: {
    status: 404,
    summary: 'The pairing code is wrong, used or expired; `details.reason` says which.',
  },
  LOGS_NOT_FOUND: {
    status: 404,
    summary: 'The device has sent no logs with such a file, or they were too old to keep.',
  },
  SCREENSHOT_NOT_FOUND: {
    status: 404,
    summary: 'The device has sent no screenshot, or it was too old to keep.',
  },
  SCREENSHOTS_FORBIDDEN: {
    status: 409,
    summary: 'The device or the organization allows no screenshots; `details.by` says which.',
  },
  NO_LIVE_ANSWER: {
    status: 409,
    summary:
      'The device does not answer now. `details`: `reason` (`offline`, `no_socket`, `player_too_old`, `no_answer` or `failed`) and ' +
      '`problem`, what the player says when it has failed.',
  },
  UPLOAD_NOT_FOUND: { status: 404, summary: 'The requested upload does not exist.' },
  ROUTE_NOT_FOUND: { status: 404, summary: 'There is no such route.' },
  METHOD_NOT_ALLOWED: { status: 405, summary: 'The route does not support this method.' },
  CONFLICT: { status: 409, summary: 'The request conflicts with the current state.' },
  PLAYLIST_IN_USE: { status: 409, summary: 'A schedule uses the playlist; `details` lists the schedules.' },
  STORE_IN_USE: {
    status: 409,
    summary: 'A rule for alerts watches the devices of the store; `details` lists the rules.',
  },
  FOLDER_NOT_EMPTY: { status: 409, summary: 'The folder still contains content or folders.' },
  PAIRING_EXPIRED: { status: 410, summary: 'The pairing session has expired; start a new one.' },
  LINK_EXPIRED: { status: 410, summary: 'The link was used or revoked, or has expired.' },
  EVENT_CURSOR_EXPIRED: {
    status: 410,
    summary: 'The event that the cursor names is no longer kept, so events may have been missed.',
  },
  UPLOAD_GONE: {
    status: 410,
    summary: 'The upload cannot continue: it has failed or expired, or its bytes are no longer there.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    summary: 'The resource has changed since the `ETag` in `If-Match` was read; nothing was changed.',
  },
  TUS_VERSION_UNSUPPORTED: {
    status: 412,
    summary: 'The request is not of the version of tus that this service speaks, which is 1.0.0.',
  },
  PAYLOAD_TOO_LARGE: { status: 413, summary: 'The body is larger than allowed.' },
  FILE_TOO_LARGE: { status: 413, summary: 'The file is larger than 2 GB (2,147,483,648 bytes).' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    summary:
      'The type of the body or file is not accepted, or the file cannot be decoded; `details.reason` says why.',
  },
  IMPORT_FAILED: { status: 422, summary: 'The file could not be fetched; `details.reason` says why.' },
  RATE_LIMITED: { status: 429, summary: 'Too many requests; retry after `Retry-After` seconds.' },
  CHECKSUM_MISMATCH: {
    status: 460,
    summary:
      'The bytes that arrived are not those that the checksum is of. Bytes of a single request are discarded; of a whole ' +
      'file, with the hash of its metadata, the upload has failed.',
  },
  INTERNAL_ERROR: {
    status: 500,
    summary: 'Internal error of the service; quote the request id when you report it.',
  },
  UNAVAILABLE: {
    status: 503,
    summary:
      'The service cannot do this at the moment; retry after `Retry-After` seconds. `details.reason` is ' +
      '`disk_full`, `disk_read_only`, `database_full` or `database_busy` when a change could not be written; reads still ' +
      'work. `database_unavailable` when the database does not answer. ' +
      '`media_store_unavailable` when the store of the media files does not answer.',
  },
  INSUFFICIENT_STORAGE: {
    status: 507,
    summary:
      'There is not enough disk space for the file. `details`: `reason` (`below_floor` or `disk_full`), `free_bytes`, ' +
      '`floor_bytes`.',
  },
} as const satisfies Record<string, { status: number; summary: string }>;

export type ErrorCode = keyof typeof ERRORS;

// Object.keys returns string[], not the keys' literal types.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];
export const errorCode = z.enum(codes);

/** One problem of a request: the path of the field (`rules.0.start_time`) and the message. */
export const problem = z.object({ path: z.string(), message: z.string() }).meta({ id: 'Problem' });

/** The shape of every error response. */
export const errorEnvelope = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: errorCode,
      message: z.string(),
      doc_url: z.url().optional().meta({ description: 'A page that says what to do' }),
      /** `[{ path, message }]` for `VALIDATION_ERROR`, otherwise details that depend on the code. */
      details: z.unknown().optional(),
    }),
  })
  .meta({ id: 'Error' });

export type Problem = z.infer<typeof problem>;
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

import { z } from 'zod';

/**
 * Every refusal of the public API: its HTTP status and one sentence of documentation.
 * A code never changes its meaning.
 */
export const ERRORS = {
  VALIDATION_ERROR: { status: 400, summary: 'The request is not valid; `details` names every problem.' },
  MALFORMED_JSON: { status: 400, summary: 'The body is not JSON.' },
  UNAUTHORIZED: { status: 401, summary: 'The key is missing, malformed, unknown, expired or revoked.' },
  DEVICE_UNPAIRED: { status: 401, summary: 'This device was removed; it has to be paired again.' },
  INSUFFICIENT_SCOPE: { status: 403, summary: 'The scope of the key is too small for this operation.' },
  DEVICE_NOT_FOUND: { status: 404, summary: 'The requested device does not exist.' },
  CONTENT_NOT_FOUND: { status: 404, summary: 'The requested content does not exist.' },
  PLAYLIST_NOT_FOUND: { status: 404, summary: 'The requested playlist does not exist.' },
  SCHEDULE_NOT_FOUND: { status: 404, summary: 'The requested schedule does not exist.' },
  STORE_NOT_FOUND: { status: 404, summary: 'The requested store does not exist.' },
  FOLDER_NOT_FOUND: { status: 404, summary: 'The requested folder does not exist.' },
  ITEM_NOT_FOUND: { status: 404, summary: 'The requested playlist item does not exist.' },
  COMMAND_NOT_FOUND: { status: 404, summary: 'The requested command does not exist.' },
  WEBHOOK_NOT_FOUND: { status: 404, summary: 'The requested webhook does not exist.' },
  DELIVERY_NOT_FOUND: { status: 404, summary: 'The requested webhook delivery does not exist.' },
  KEY_NOT_FOUND: { status: 404, summary: 'The requested API key does not exist.' },
  PAIRING_CODE_NOT_FOUND: {
    status: 404,
    summary:
      'No screen shows this code, it was used, or it has expired: `details.reason` of pairing says which.',
  },
  ROUTE_NOT_FOUND: { status: 404, summary: 'There is nothing at this address.' },
  METHOD_NOT_ALLOWED: { status: 405, summary: 'The address exists, but not for this method.' },
  CONFLICT: { status: 409, summary: 'The request contradicts the present state.' },
  PLAYLIST_IN_USE: { status: 409, summary: 'A schedule uses the playlist; `details` lists the schedules.' },
  FOLDER_NOT_EMPTY: { status: 409, summary: 'The folder still holds content or folders.' },
  PAIRING_EXPIRED: { status: 410, summary: 'The pairing session is over; start a new one.' },
  PAYLOAD_TOO_LARGE: { status: 413, summary: 'The body is larger than allowed.' },
  FILE_TOO_LARGE: { status: 413, summary: 'The file is larger than 2 GB (2,147,483,648 bytes).' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    summary:
      'The type of the body or of the file is not one that is accepted, or the file cannot be decoded: `details.reason` says why.',
  },
  IMPORT_FAILED: { status: 422, summary: 'The file could not be fetched; `details.reason` says why.' },
  RATE_LIMITED: { status: 429, summary: 'Too many requests; come back after `Retry-After` seconds.' },
  INTERNAL_ERROR: { status: 500, summary: 'Something broke on our side; quote the request id.' },
  UNAVAILABLE: {
    status: 503,
    summary:
      'The service cannot do this at the moment; try again after `Retry-After` seconds. `details.reason` is ' +
      '`disk_full`, `disk_read_only` or `database_busy` when a change could not be written; reading goes on.',
  },
  INSUFFICIENT_STORAGE: {
    status: 507,
    summary:
      'The disk has too little room for a file. `details`: `reason` (`below_floor` or `disk_full`), `free_bytes`, ' +
      '`floor_bytes`.',
  },
} as const satisfies Record<string, { status: number; summary: string }>;

export type ErrorCode = keyof typeof ERRORS;

// The compiler knows the keys of an object as strings only.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const codes = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]];

/** One problem of a request: where (`rules.0.start_time`) and what. */
export const problem = z.object({ path: z.string(), message: z.string() });

/** The shape of every answer that is not a success. */
export const errorEnvelope = z.object({
  success: z.literal(false),
  error: z.object({
    code: z.enum(codes),
    message: z.string(),
    /** `[{ path, message }]` for `VALIDATION_ERROR`, otherwise facts of the case. */
    details: z.unknown().optional(),
  }),
});

export type Problem = z.infer<typeof problem>;
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

import { z } from 'zod';
import { timestamp } from '../primitives.ts';

// Control characters break terminals, CSV files and some databases; lone surrogates are not valid text.
const PLAIN_TEXT = /^\P{Cc}*$/u;
const isPlainText = (text: string) => PLAIN_TEXT.test(text) && text.isWellFormed();
const PLAIN_TEXT_MESSAGE = 'must be text without control characters';

/** A display name: 1–200 characters after trimming. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(isPlainText, PLAIN_TEXT_MESSAGE)
  .meta({ description: '1–200 characters after trimming' });

/** Free text of one line, may be empty. */
export const singleLineText = z.string().trim().max(500).refine(isPlainText, PLAIN_TEXT_MESSAGE);

export const tag = z.string().trim().min(1).max(100).refine(isPlainText, PLAIN_TEXT_MESSAGE);

/** Duplicates are removed; the order is kept. */
export const tags = z
  .array(tag)
  .max(100)
  .overwrite((list) => [...new Set(list)])
  .meta({ description: 'Tags; duplicates are removed' });

/** A reference to another resource; the server checks that it exists. */
export const reference = z.string().min(1).max(100).refine(isPlainText, PLAIN_TEXT_MESSAGE);

/** Another resource, named in a response. */
export const namedReference = z.object({ id: z.string(), name: z.string() }).meta({ id: 'NamedReference' });

export const idParams = z.strictObject({ id: z.string().max(200) });
export const deletionResult = z.object({ id: z.string(), deleted: z.literal(true) }).meta({ id: 'Deletion' });

export const timestamps = { created_at: timestamp, updated_at: timestamp };
export const exampleTimestamps = {
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-20T08:00:00.000Z',
};

/** An integer in a query string. */
export const queryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

/** `page` and `limit` of every list; values out of range are rejected, never clamped. */
export const paging = {
  page: queryInteger(1, 1_000_000_000).default(1),
  limit: queryInteger(1, 100).default(20),
};

/** `meta` of a list. */
export const meta = z.object({ page: z.int(), limit: z.int(), total: z.int() }).meta({ id: 'Paging' });
export type Meta = z.infer<typeof meta>;

/** `meta` of a list with a cursor. */
export const cursorMeta = z
  .object({
    limit: z.int(),
    /** Continues after this part. Null at the end of a list of resources, and for events that there are none of yet. */
    next_cursor: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'Cursor' });
export type CursorMeta = z.infer<typeof cursorMeta>;

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?/;
const ZONE = /^(Z|[+-]\d\d:\d\d)$/;
const EARLIEST_MS = Date.parse('0001-01-01');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** Why the text is not a valid instant; null when it is one. */
function instantProblem(text: string): string | null {
  const [time] = TIME.exec(text) ?? [];
  if (time !== undefined) {
    const zone = text.slice(time.length);
    if (zone === '') {
      return 'has no time zone: add Z for UTC, or an offset such as +01:00';
    }
    // An unencoded plus sign arrives as a space.
    if (/^ \d\d:\d\d$/.test(zone)) {
      return 'has a space before its offset: encode the plus sign as %2B in a URL';
    }
    if (!ZONE.test(zone)) {
      return 'must end with Z, or with an offset such as +01:00';
    }
  } else if (!DATE.test(text)) {
    return 'must be an ISO 8601 date such as 2026-11-20, or time such as 2026-11-20T18:00:00Z';
  }
  const ms = Date.parse(text);
  // Earlier and later instants cannot be written with a year of four digits.
  if (!(ms >= EARLIEST_MS && ms <= LATEST_MS)) {
    return 'must be an ISO 8601 date or time that exists';
  }
  // Date.parse reads 30 February as 2 March.
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return day <= last.getUTCDate() ? null : 'must be an ISO 8601 date or time that exists';
}

const instantText = z.string().superRefine((text, context) => {
  const problem = instantProblem(text);
  if (problem !== null) {
    context.addIssue({ code: 'custom', message: problem });
  }
});

/** A date (midnight UTC) or an instant with a zone, in a query. */
export const queryInstant = instantText.meta({
  description: 'ISO 8601 date (midnight UTC) or instant',
  example: '2026-11-20T00:00:00Z',
});

/** An instant in a body, with any offset; handlers get it in UTC with milliseconds. */
export const instant = instantText
  .overwrite((text) => (instantProblem(text) === null ? new Date(text).toISOString() : text))
  .meta({ description: 'ISO 8601 instant; kept in UTC', example: '2026-12-31T18:00:00+01:00' });

const LAST_SCHEDULE_INSTANT_MS = Date.UTC(2201, 0, 1) - 1;

/** An instant that schedules can be evaluated at. */
export const queryScheduleInstant = queryInstant.refine((text) => {
  const ms = Date.parse(text);
  // NaN passes: instantText has already reported that.
  return !(ms < 0 || ms > LAST_SCHEDULE_INSTANT_MS);
}, 'must lie in the years 1970 to 2200');

/** Runs a check over several fields even when one of them is invalid, so that all problems are reported at once. */
export const runOnAnyObject = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};

/** A URL for the cloud to call or fetch, of at most `maxLength` characters. */
export const httpAddress = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => {
      const url = URL.parse(text);
      return url !== null && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
    }, 'must be an http or https URL without a password');

export const search = z
  .string()
  .max(200)
  .meta({ description: 'Part of the name; upper and lower case are the same' });

/** `true` or `false` in a query string. */
export const queryBoolean = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .pipe(z.boolean());

/** Times of a day, on a wall clock. */
export const startTime = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM from 00:00 to 23:59')
  .meta({ example: '09:00' });
export const endTime = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be HH:MM from 00:00 to 24:00')
  .meta({ example: '17:00' });

export const target = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('store'), id: reference }),
    z.strictObject({ type: z.literal('device'), id: reference }),
    z.strictObject({ type: z.literal('tag'), value: tag }),
    z.strictObject({ type: z.literal('all') }),
  ])
  .meta({ id: 'Target' });

export const timezone = z
  .string()
  .max(100)
  .refine(isTimezone, 'must be an IANA time zone such as Europe/Berlin')
  .overwrite(normalizeTimezone)
  .meta({ description: 'IANA time zone', example: 'Europe/Berlin' });

function isTimezone(zone: string): boolean {
  // Intl accepts offsets such as +01:00, but they have no daylight saving time.
  if (!/^[A-Za-z]/.test(zone)) {
    return false;
  }
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * The name with its usual capitals. An alias stays an alias: Intl would canonicalize `Asia/Kolkata` to the outdated
 * `Asia/Calcutta`.
 */
function normalizeTimezone(zone: string): string {
  if (!isTimezone(zone)) {
    return zone;
  }
  const canonical = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  if (canonical.toLowerCase() === zone.toLowerCase()) {
    return canonical;
  }
  if (zone !== zone.toLowerCase() && zone !== zone.toUpperCase()) {
    return zone;
  }
  return zone.replaceAll(/[a-z0-9]+/gi, (word) =>
    word.length <= 3 || /\d/.test(word)
      ? word.toUpperCase()
      : word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase(),
  );
}

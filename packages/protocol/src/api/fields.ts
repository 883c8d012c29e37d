import { z } from 'zod';
import { orientation } from '../primitives.ts';

// Control characters break terminals, CSV files and some databases; half surrogates are not text at all.
const PLAIN = /^\P{Cc}*$/u;
const plain = (text: string) => PLAIN.test(text) && text.isWellFormed();
const PLAIN_MESSAGE = 'must be text without control characters';

/** A name as people write it: 1–200 characters after trimming. */
export const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(plain, PLAIN_MESSAGE)
  .meta({ description: '1–200 characters after trimming' });

/** Free text of one line, may be empty. */
export const line = z.string().trim().max(500).refine(plain, PLAIN_MESSAGE);

export const tag = z.string().trim().min(1).max(100).refine(plain, PLAIN_MESSAGE);

/** Each tag once, in the order given. */
export const tags = z
  .array(tag)
  .max(100)
  .overwrite((list) => [...new Set(list)])
  .meta({ description: 'Tags; each counts once' });

/** A reference to another resource; that it exists is checked by the server. */
export const reference = z.string().min(1).max(100).refine(plain, PLAIN_MESSAGE);

export const idParams = z.strictObject({ id: z.string().max(200) });
export const deleted = z.object({ id: z.string(), deleted: z.literal(true) });

/** An integer in a query string. */
export const queryInteger = (min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d{1,15}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .pipe(z.int().min(min).max(max));

/** `page` and `limit` of every list; a value outside is refused, never clamped. */
export const paging = {
  page: queryInteger(1, 1_000_000_000).default(1),
  limit: queryInteger(1, 100).default(20),
};

/** `meta` of a list. */
export const meta = z.object({ page: z.int(), limit: z.int(), total: z.int() });
export type Meta = z.infer<typeof meta>;

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?/;
const ZONE = /^(Z|[+-]\d\d:\d\d)$/;
const EARLIEST_MS = Date.parse('0001-01-01');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** What is wrong with the text of an instant; null when it is one. */
function instantProblem(text: string): string | null {
  const [time] = TIME.exec(text) ?? [];
  if (time !== undefined) {
    const zone = text.slice(time.length);
    if (zone === '') return 'has no time zone: add Z for UTC, or an offset such as +01:00';
    // A plus that was not encoded arrives as a space.
    if (/^ \d\d:\d\d$/.test(zone))
      return 'has a space before its offset: in an address write %2B for the plus';
    if (!ZONE.test(zone)) return 'must end with Z, or with an offset such as +01:00';
  } else if (!DATE.test(text)) {
    return 'must be an ISO 8601 date such as 2026-11-20, or time such as 2026-11-20T18:00:00Z';
  }
  const ms = Date.parse(text);
  // What comes before or after cannot be written as a timestamp of four digits.
  if (!(ms >= EARLIEST_MS && ms <= LATEST_MS)) return 'must be an ISO 8601 date or time that exists';
  // Date.parse takes 30 February for 2 March.
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const last = new Date(0);
  last.setUTCFullYear(year, month, 0);
  return day <= last.getUTCDate() ? null : 'must be an ISO 8601 date or time that exists';
}

const instantText = z.string().superRefine((text, context) => {
  const problem = instantProblem(text);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** A date (midnight UTC) or an instant with a zone, in a query. */
export const queryInstant = instantText.meta({
  description: 'ISO 8601 date (midnight UTC) or instant',
  example: '2026-11-20T00:00:00Z',
});

/** An instant in a body, with whatever offset; handlers get it in UTC with milliseconds. */
export const instant = instantText
  .overwrite((text) => (instantProblem(text) === null ? new Date(text).toISOString() : text))
  .meta({ description: 'ISO 8601 instant; kept in UTC', example: '2026-12-31T18:00:00+01:00' });

const LAST_ASKED_MS = Date.UTC(2201, 0, 1) - 1;

/** An instant about which schedules can be asked. */
export const queryScheduleInstant = queryInstant.refine((text) => {
  const ms = Date.parse(text);
  // What is no instant at all was named already.
  return !(ms < 0 || ms > LAST_ASKED_MS);
}, 'must lie in the years 1970 to 2200');

/** Lets a check over several fields run also when one of them is wrong: every problem is named at once. */
export const wheneverObject = {
  when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null,
};

/** An address to be called or fetched, of at most that many characters. */
export const httpAddress = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => {
      const url = URL.parse(text);
      return url !== null && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password;
    }, 'must be an http or https address without a password');

export const search = z.string().max(200);

export const target = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('store'), id: reference }),
  z.strictObject({ type: z.literal('device'), id: reference }),
  z.strictObject({ type: z.literal('tag'), value: tag }),
]);
export type Target = z.infer<typeof target>;

export const timezone = z
  .string()
  .max(100)
  .refine(isTimezone, 'must be an IANA time zone such as Europe/Berlin')
  .overwrite(writtenAsUsual)
  .meta({ description: 'IANA time zone', example: 'Europe/Berlin' });

function isTimezone(zone: string): boolean {
  // Offsets such as +01:00 are accepted by Intl, but know no daylight saving.
  if (!/^[A-Za-z]/.test(zone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/**
 * The name with the capitals that it usually has. An alias stays an alias: what Intl makes of `Asia/Kolkata` is a
 * name that nobody there uses.
 */
function writtenAsUsual(zone: string): string {
  if (!isTimezone(zone)) return zone;
  const known = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  if (known.toLowerCase() === zone.toLowerCase()) return known;
  if (zone !== zone.toLowerCase() && zone !== zone.toUpperCase()) return zone;
  return zone.replaceAll(/[a-z0-9]+/gi, (word) =>
    word.length <= 3 || /\d/.test(word)
      ? word.toUpperCase()
      : word.slice(0, 1).toUpperCase() + word.slice(1).toLowerCase(),
  );
}

export { orientation };

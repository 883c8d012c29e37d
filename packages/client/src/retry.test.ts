import { expect, test } from 'vitest';
import { PlacardError } from './placard-error.ts';
import { backOff, parseRetryAfter, retryDelay } from './retry.ts';

const failure = (status: number, retryAfterMs?: number, code = 'UNAVAILABLE') =>
  new PlacardError({ code, status, message: '', retryAfterMs });
const FIRST = { number: 0, retries: 3 };

test.each([
  ['GET', false, 0, true],
  ['GET', false, 500, true],
  ['GET', false, 404, false],
  ['DELETE', false, 503, true],
  ['PUT', false, 502, true],
  ['POST', true, 0, true],
  ['POST', false, 0, false],
  ['POST', false, 503, false],
  ['POST', true, 507, false],
  ['PATCH', false, 0, false],
  ['PATCH', false, 503, false],
  ['PATCH', false, 429, true],
  ['POST', false, 429, true],
])(
  '%s (idempotency key: %s) after status %d is sent again: %s',
  (method, hasIdempotencyKey, status, again) => {
    expect(retryDelay(failure(status), { method, hasIdempotencyKey }, FIRST, 0) !== null).toBe(again);
  },
);

const delay = (number: number, retryAfterMs?: number) =>
  retryDelay(
    failure(503, retryAfterMs),
    { method: 'GET', hasIdempotencyKey: false },
    { number, retries: 9 },
    1,
  );

test('the wait is that of the cloud, or doubles up to 8 s', () => {
  expect([0, 1, 2, 3, 4, 5].map((number) => delay(number))).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  expect([delay(0, 0), delay(3, 61_000), delay(0, 121_000)]).toEqual([0, 61_000, null]);
  expect(backOff(0, 0)).toBe(250);
});

test('after the last attempt, and for what is no error of a request, there is none', () => {
  const request = { method: 'GET', hasIdempotencyKey: false };
  expect(retryDelay(failure(503), request, { number: 3, retries: 3 }, 0)).toBeNull();
  expect(retryDelay(new TypeError('x'), request, FIRST, 0)).toBeNull();
  expect(retryDelay(failure(200, undefined, 'INVALID_RESPONSE'), request, FIRST, 0)).toBeNull();
});

test.each([
  ['3', 3000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['soon', undefined],
  [null, undefined],
])('Retry-After: %s is %s ms', (value, ms) => {
  expect(parseRetryAfter(value, Date.UTC(2026, 10, 20, 12))).toBe(ms);
});

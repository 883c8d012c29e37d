import { expect, test } from 'vitest';
import { parseRetryAfterReason, retryAfterReason } from './socket.ts';

test('the reason of a close says when to come back, and any other says nothing', () => {
  expect(parseRetryAfterReason(retryAfterReason(1_250))).toBe(1_250);
  expect(parseRetryAfterReason(retryAfterReason(999_999)), 'at most').toBe(300_000);
  for (const reason of [
    '',
    'the server is stopping',
    'retry after -1 ms',
    'retry after 1e3 ms',
    'retry after 9999999 ms',
  ]) {
    expect(parseRetryAfterReason(reason), reason).toBeNull();
  }
});

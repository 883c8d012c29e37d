import { expect, test } from 'vitest';
import { socketRetryMs } from './socket-retry.ts';

const closed = { isStable: true, isReplaced: false, retryAfterMs: null, attempt: 0 };

test.each([
  ['a stable socket was lost', closed, 1_000, 10_000],
  ['the cloud said when', { ...closed, retryAfterMs: 8_000 }, 8_000, 8_500],
  ['it was replaced', { ...closed, isReplaced: true }, 31_000, 40_000],
  ['it was not stable', { ...closed, isStable: false }, 500, 5_000],
  ['many were not stable', { ...closed, isStable: false, attempt: 9 }, 4_500, 45_000],
  [
    'it was not stable and the cloud said when',
    { ...closed, isStable: false, retryAfterMs: 9_000 },
    9_000,
    9_000,
  ],
])('how long a player waits when %s', (_, socket, least, most) => {
  expect(socketRetryMs(socket, 0)).toBe(least);
  expect(socketRetryMs(socket, 1)).toBe(most);
});

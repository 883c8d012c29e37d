import { expect, test } from 'vitest';
import {
  MAX_USER_CHOSEN_CHECKS_PER_ADDRESS,
  createAuthThrottle,
  MAX_FAILURES_PER_ADDRESS,
} from './auth-throttle.ts';
import { createRateLimiter } from './rate-limiter.ts';

const ADDRESS = '192.0.2.1';
const createThrottle = () => createAuthThrottle((_name, windowMs) => createRateLimiter(windowMs));
const generated = (hash: string, address = ADDRESS) => ({ address, hash, isUserChosen: false });
const chosen = (hash: string) => ({ address: ADDRESS, hash, isUserChosen: true });
const throttledAddress = async () => {
  const throttle = createThrottle();
  throttle.recordSuccess(ADDRESS, 'known');
  for (let i = 0; i < MAX_FAILURES_PER_ADDRESS; i++) {
    expect(await throttle.recordFailure(generated(`wrong ${i}`), i)).toBeNull();
  }
  return throttle;
};

test('after too many wrong secrets every secret from the address is rejected for a minute', async () => {
  const throttle = await throttledAddress();
  expect(await throttle.check(generated('right or wrong'), 1000)).toMatchObject({
    allowed: false,
    resetSeconds: 59,
  });
  expect(await throttle.check(generated('right or wrong'), 60_000)).toBeNull();
  expect(await throttle.check(generated('right or wrong', '192.0.2.2'), 1000)).toBeNull();
});

test('a wrong secret over the limit is answered like one that was not looked at', async () => {
  const throttle = await throttledAddress();
  expect(await throttle.recordFailure(generated('looked at meanwhile'), 1000)).toMatchObject({
    allowed: false,
  });
});

test('a secret that was accepted at the address before stays allowed there, and nowhere else', async () => {
  const throttle = await throttledAddress();
  expect(await throttle.check(generated('known'), 1000)).toBeNull();
  for (let i = 0; i < MAX_FAILURES_PER_ADDRESS; i++) {
    await throttle.recordFailure(generated('wrong', '192.0.2.2'), i);
  }
  expect(await throttle.check(generated('known', '192.0.2.2'), 1000)).not.toBeNull();
});

test('a secret stays allowed at the last four addresses that used it', async () => {
  const throttle = await throttledAddress();
  for (const n of [2, 3, 4]) {
    throttle.recordSuccess(`192.0.2.${n}`, 'known');
  }
  expect(await throttle.check(generated('known'), 1000)).toBeNull();
  throttle.recordSuccess('192.0.2.5', 'known');
  expect(await throttle.check(generated('known'), 1000)).not.toBeNull();
});

test('of guesses at the same time no more are looked at than the limit', async () => {
  const throttle = createThrottle();
  const results = await Promise.all(
    Array.from({ length: MAX_FAILURES_PER_ADDRESS + 5 }, (_, i) =>
      throttle.check(chosen(`guess ${i}`), 1000),
    ),
  );
  expect(results.filter((result) => result === null)).toHaveLength(MAX_FAILURES_PER_ADDRESS);
});

test('a secret chosen by a person is checked at most 30 times a minute from a throttled address', async () => {
  const throttle = await throttledAddress();
  expect(await throttle.check(chosen('known'), 1000)).toBeNull();
  for (let i = 1; i < MAX_USER_CHOSEN_CHECKS_PER_ADDRESS; i++) {
    expect(await throttle.check(chosen(`guess ${i}`), 1000)).not.toBeNull();
  }
  expect(await throttle.check(chosen('known'), 1000)).not.toBeNull();
});

test('a revoked secret is answered once, and then no longer allowed from any throttled address', async () => {
  const throttle = await throttledAddress();
  expect(await throttle.recordFailure(generated('known'), 1000)).toBeNull();
  expect(await throttle.check(generated('known'), 1000)).not.toBeNull();
});

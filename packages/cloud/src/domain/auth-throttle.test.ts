import { expect, test } from 'vitest';
import {
  MAX_USER_CHOSEN_CHECKS_PER_ADDRESS,
  createAuthThrottle,
  MAX_FAILURES_PER_ADDRESS,
} from './auth-throttle.ts';

const generated = (hash: string) => ({ hash, isUserChosen: false });
const throttledAddress = () => {
  const throttle = createAuthThrottle();
  throttle.recordSuccess('192.0.2.1', 'known');
  for (let i = 0; i < MAX_FAILURES_PER_ADDRESS; i++) {
    throttle.recordFailure('192.0.2.1', i);
  }
  return throttle;
};

test('after too many wrong secrets every secret from the address is rejected for a minute', () => {
  const throttle = throttledAddress();
  expect(throttle.check('192.0.2.1', generated('right or wrong'), 1000)).toMatchObject({
    allowed: false,
    resetSeconds: 59,
  });
  expect(throttle.check('192.0.2.1', generated('right or wrong'), 60_000)).toBeNull();
  expect(throttle.check('192.0.2.2', generated('right or wrong'), 1000)).toBeNull();
});

test('a secret that was accepted at the address before stays allowed there, and nowhere else', () => {
  const throttle = throttledAddress();
  expect(throttle.check('192.0.2.1', generated('known'), 1000)).toBeNull();
  for (let i = 0; i < MAX_FAILURES_PER_ADDRESS; i++) {
    throttle.recordFailure('192.0.2.2', i);
  }
  expect(throttle.check('192.0.2.2', generated('known'), 1000)).not.toBeNull();
});

test('a secret stays allowed at the last four addresses that used it', () => {
  const throttle = throttledAddress();
  for (const n of [2, 3, 4]) {
    throttle.recordSuccess(`192.0.2.${n}`, 'known');
  }
  expect(throttle.check('192.0.2.1', generated('known'), 1000)).toBeNull();
  throttle.recordSuccess('192.0.2.5', 'known');
  expect(throttle.check('192.0.2.1', generated('known'), 1000)).not.toBeNull();
});

test('a secret chosen by a person is checked at most 30 times a minute from a throttled address', () => {
  const throttle = throttledAddress();
  const checkUserChosen = (hash: string) => throttle.check('192.0.2.1', { hash, isUserChosen: true }, 1000);
  expect(checkUserChosen('known')).toBeNull();
  for (let i = 1; i < MAX_USER_CHOSEN_CHECKS_PER_ADDRESS; i++) {
    expect(checkUserChosen(`guess ${i}`)).not.toBeNull();
  }
  expect(checkUserChosen('known')).not.toBeNull();
});

test('a revoked secret is no longer allowed from any throttled address', () => {
  const throttle = throttledAddress();
  throttle.forgetSecret('known');
  expect(throttle.check('192.0.2.1', generated('known'), 1000)).not.toBeNull();
});

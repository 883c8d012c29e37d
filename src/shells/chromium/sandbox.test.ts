import { expect, test } from 'vitest';
import { canUseSandbox } from './sandbox.ts';

test('never allows root a sandbox', () => {
  expect(canUseSandbox({ platform: 'linux', uid: 0, isBundled: false })).toBe(false);
  expect(canUseSandbox({ platform: 'linux', uid: 1000, isBundled: false })).toBe(true);
  expect(canUseSandbox({ platform: 'win32', uid: undefined, isBundled: false })).toBe(true);
});

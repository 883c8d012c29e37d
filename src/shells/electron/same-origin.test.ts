import { expect, test } from 'vitest';
import { isSameOrigin } from './same-origin.ts';

const pageUrl = 'http://127.0.0.1:4100/enter/abc';

test.each([
  ['http://127.0.0.1:4100/', true],
  ['http://127.0.0.1:4101/', false],
  ['https://127.0.0.1:4100/', false],
  ['http://placard.example/', false],
  ['file:///etc/passwd', false],
  ['about:blank', false],
  ['not an address', false],
])('accepts %s as an address of the page: %s', (address, expected) => {
  expect(isSameOrigin(address, pageUrl)).toBe(expected);
});

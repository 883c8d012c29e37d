import { expect, it } from 'vitest';
import { samePlace } from './same-place.ts';

const home = 'http://127.0.0.1:4100/enter/abc';

it.each([
  ['http://127.0.0.1:4100/', true],
  ['http://127.0.0.1:4101/', false],
  ['https://127.0.0.1:4100/', false],
  ['http://placard.example/', false],
  ['file:///etc/passwd', false],
  ['about:blank', false],
  ['not an address', false],
])('takes %s for the place of the page: %s', (address, expected) => {
  expect(samePlace(address, home)).toBe(expected);
});

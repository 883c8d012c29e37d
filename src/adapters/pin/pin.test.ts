import { expect, test } from 'vitest';
import { hashPin, pinVerifier } from './pin.ts';

test('a PIN matches its own hash only', async () => {
  const hash = await hashPin('4711');
  expect(hash).toMatch(/^scrypt\$14\$[\w-]{22}\$[\w-]{43}$/);
  expect(await pinVerifier.verify('4711', hash)).toBe(true);
  expect(await pinVerifier.verify('4712', hash)).toBe(false);
  expect(await hashPin('4711')).not.toBe(hash);
});

test('accepts a hash that another program made in the same format', async () => {
  // Python: hashlib.scrypt(b'12345678', salt=b'0123456789abcdef', n=2**14, r=8, p=1, dklen=32)
  const hash = 'scrypt$14$MDEyMzQ1Njc4OWFiY2RlZg$waAczlqmIERsY-pWuVAAfREzhKii3uEe7i3_nbOLzH8';
  expect(await pinVerifier.verify('12345678', hash)).toBe(true);
});

test.each(['', 'plain', 'scrypt$14$c2FsdA$dG9vc2hvcnQ', 'scrypt$60$c2FsdA$' + 'A'.repeat(43)])(
  'an invalid hash matches nothing: %j',
  async (hash) => {
    expect(await pinVerifier.verify('4711', hash)).toBe(false);
  },
);

import { expect, test } from 'vitest';
import { CHOSEN_PER_ADDRESS, createWrongSecrets, WRONG_PER_ADDRESS } from './wrong-secrets.ts';

const made = (hash: string) => ({ hash, chosen: false });
const flooded = () => {
  const secrets = createWrongSecrets();
  secrets.right('192.0.2.1', 'known');
  for (let i = 0; i < WRONG_PER_ADDRESS; i++) secrets.wrong('192.0.2.1', i);
  return secrets;
};

test('after too many wrong secrets nothing from the address is looked at, right or wrong, for a minute', () => {
  const secrets = flooded();
  expect(secrets.refused('192.0.2.1', made('right or wrong'), 1000)).toMatchObject({
    allowed: false,
    resetSeconds: 59,
  });
  expect(secrets.refused('192.0.2.1', made('right or wrong'), 60_000)).toBeNull();
  expect(secrets.refused('192.0.2.2', made('right or wrong'), 1000)).toBeNull();
});

test('what was right at the address before is let through there, and nowhere else', () => {
  const secrets = flooded();
  expect(secrets.refused('192.0.2.1', made('known'), 1000)).toBeNull();
  for (let i = 0; i < WRONG_PER_ADDRESS; i++) secrets.wrong('192.0.2.2', i);
  expect(secrets.refused('192.0.2.2', made('known'), 1000)).not.toBeNull();
});

test('a secret is known at the last four addresses that it came from', () => {
  const secrets = flooded();
  for (const n of [2, 3, 4]) secrets.right(`192.0.2.${n}`, 'known');
  expect(secrets.refused('192.0.2.1', made('known'), 1000)).toBeNull();
  secrets.right('192.0.2.5', 'known');
  expect(secrets.refused('192.0.2.1', made('known'), 1000)).not.toBeNull();
});

test('one that a person chose cannot be guessed by trying: it is looked at 30 times a minute', () => {
  const secrets = flooded();
  const chosen = (hash: string) => secrets.refused('192.0.2.1', { hash, chosen: true }, 1000);
  expect(chosen('known')).toBeNull();
  for (let i = 1; i < CHOSEN_PER_ADDRESS; i++) expect(chosen(`guess ${i}`)).not.toBeNull();
  expect(chosen('known')).not.toBeNull();
});

test('one that is right no more is let through nowhere', () => {
  const secrets = flooded();
  secrets.forget('known');
  expect(secrets.refused('192.0.2.1', made('known'), 1000)).not.toBeNull();
});

import { expect, test } from 'vitest';
import { textOf } from './text-of.ts';

test('a word without a text is shown as it is, or as the caller says it', () => {
  const texts = { sent: 'Taken by the mail server' };
  expect(textOf(texts, 'sent')).toBe(texts.sent);
  expect(textOf(texts, 'echoed')).toBe('echoed');
  expect(textOf(texts, 'constructor')).toBe('constructor');
  expect(textOf(texts, 'echoed', (word) => `Another one (${word})`)).toBe('Another one (echoed)');
});

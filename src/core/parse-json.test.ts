import { expect, test } from 'vitest';
import { jsonErrorMessage } from './parse-json.ts';

function messageFor(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return jsonErrorMessage(error);
  }
  throw new Error('it is JSON');
}

test.each([
  ['{ "menuPin": “47110815” }', "Unexpected token '“'"],
  ['{ "menuPin": ,47110815 }', "Unexpected token ','"],
  [
    `{ "server": "https://signs.example", "menuPin": x47110815, "orientation": "portrait" }`,
    "Unexpected token 'x'",
  ],
  ['{ "menuPin": "47110815', 'Unterminated string in JSON at position 22'],
])('what is wrong with %s is said without quoting it', (text, message) => {
  expect(messageFor(text)).toContain(message);
  expect(messageFor(text)).not.toContain('4711');
});

test('messages of other errors are kept whole', () => {
  expect(jsonErrorMessage(new Error('cannot be read, "x" is missing'))).toBe(
    'cannot be read, "x" is missing',
  );
});

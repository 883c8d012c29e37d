import { expect, test } from 'vitest';
import { parseJson, pathsWithNul } from './json.ts';
import type { ParseJsonOptions } from './json.ts';

const parse = (text: string, options?: ParseJsonOptions) => parseJson(Buffer.from(text), options);
const nested = (levels: number) => `{"a\\"":"\\\\","b":${'['.repeat(levels)}${']'.repeat(levels)}}`;

test('brackets and commas in texts do not count, whatever is escaped in them', () => {
  const texts = ['[[[,,,', '"', '\\', '\\"', '\\\\"[', '', '[\\', ',\u2028ü,\u{1F600}'];
  for (const text of texts) {
    const value = { [text]: [text, text] };
    // The object, its list, and one comma.
    expect(parse(JSON.stringify(value), { maxEntries: 3 })).toEqual(value);
    expect(() => parse(JSON.stringify(value), { maxEntries: 2 })).toThrow('at most 2 fields');
  }
  const escaped = String.raw`["\u0022[[,\u005c"]`;
  expect(parse(escaped, { maxEntries: 1 })).toEqual(['"[[,\\']);
});

test('what follows a text counts', () => {
  expect(parse(nested(31))).toHaveProperty('b');
  expect(() => parse(nested(32))).toThrow('more than 32 levels');
});

test('a text without an end is not JSON, however much of it is escaped', () => {
  for (const text of ['"', '["a', '"\\', '"\\"', `["${'\\'.repeat(200_000)}`, `["${'\\"'.repeat(200_000)}`]) {
    expect(() => parse(text)).toThrow('The body is not JSON');
  }
});

test('the character U+0000 is left out on request, and otherwise found', () => {
  const value = { a: ['x\0', String.raw`\\u0000`], 'b.c': { d: '\0\0', e: null } };
  expect(parse(JSON.stringify(value))).toEqual(value);
  expect(parse(JSON.stringify(value), { removesNul: true })).toEqual({
    a: ['x', String.raw`\\u0000`],
    'b.c': { d: '', e: null },
  });
  expect(pathsWithNul(value)).toEqual(['a.0', 'b.c.d']);
});

import type { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const several = (count: number | bigint, one: string, many: string) =>
  `${count} ${Number(count) === 1 ? one : many}`;

/** A bound of a text, a list or a number, as what it has to be. */
function bound(origin: string, word: 'at least' | 'at most', limit: number | bigint): string {
  if (origin === 'string') return `must have ${word} ${several(limit, 'character', 'characters')}`;
  if (origin === 'array' || origin === 'set')
    return `must have ${word} ${several(limit, 'entry', 'entries')}`;
  return `must be ${word} ${limit}`;
}

const oneOf = (values: readonly unknown[]) =>
  values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;

/**
 * Our own sentence for a field that its schema refuses, where the schema has none. It follows the path of the field:
 * `items.0.weight: must be at least 1`.
 */
export function problemSentence(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      if (Array.isArray(issue.input) && issue.expected === 'string') return 'must be one text, not a list';
      return `must be ${KINDS[issue.expected] ?? 'of another kind'}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return issue.inclusive === false
        ? `must be more than ${issue.minimum}`
        : bound(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return issue.inclusive === false
        ? `must be less than ${issue.maximum}`
        : bound(issue.origin, 'at most', issue.maximum);
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : oneOf(issue.values);
    case 'invalid_union':
      return Array.isArray(issue['options'])
        ? oneOf(issue['options'])
        : 'is of a kind that is not known here';
    case 'invalid_format':
      if (issue.format === 'datetime') return 'must be an instant in UTC such as 2026-11-20T08:00:00.000Z';
      if (issue.format === 'date') return 'must be a date that exists, such as 2026-11-20';
      if (issue.format === 'url') return 'must be an address such as https://example.com';
      return 'is not written as it has to be';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
    default:
      return 'is not valid';
  }
}

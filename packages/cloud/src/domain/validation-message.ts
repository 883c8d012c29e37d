import type { z } from 'zod';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const pluralize = (count: number | bigint, one: string, many: string) =>
  `${count} ${Number(count) === 1 ? one : many}`;

/** Message for a minimum or maximum of a text, a list or a number. */
function boundMessage(origin: string, word: 'at least' | 'at most', limit: number | bigint): string {
  if (origin === 'string') {
    return `must have ${word} ${pluralize(limit, 'character', 'characters')}`;
  }
  if (origin === 'array' || origin === 'set') {
    return `must have ${word} ${pluralize(limit, 'entry', 'entries')}`;
  }
  return `must be ${word} ${limit}`;
}

const oneOfMessage = (values: readonly unknown[]) =>
  values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;

/**
 * Message for an invalid field whose schema defines none. It follows the path of the field: `items.0.weight: must be
 * at least 1`.
 */
export function validationMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) {
        return 'is required';
      }
      if (Array.isArray(issue.input) && issue.expected === 'string') {
        return 'must be a single text, not a list';
      }
      return `must be ${TYPE_NAMES[issue.expected] ?? 'of another type'}`;
    case 'too_small':
      if (issue.origin === 'string' && issue.minimum === 1) {
        return 'must not be empty';
      }
      return issue.inclusive === false
        ? `must be more than ${issue.minimum}`
        : boundMessage(issue.origin, 'at least', issue.minimum);
    case 'too_big':
      return issue.inclusive === false
        ? `must be less than ${issue.maximum}`
        : boundMessage(issue.origin, 'at most', issue.maximum);
    case 'invalid_value':
      return issue.input === undefined ? 'is required' : oneOfMessage(issue.values);
    case 'invalid_union':
      return Array.isArray(issue['options']) ? oneOfMessage(issue['options']) : 'is of an unknown type';
    case 'invalid_format':
      if (issue.format === 'datetime') {
        return 'must be a UTC timestamp such as 2026-11-20T08:00:00.000Z';
      }
      if (issue.format === 'date') {
        return 'must be an existing date such as 2026-11-20';
      }
      if (issue.format === 'url') {
        return 'must be a URL such as https://example.com';
      }
      return 'has the wrong format';
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

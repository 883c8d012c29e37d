import type { SeededRandom } from '../../../../../test/support/seeded-random.ts';
import { asArray, asObject } from '../support/json.ts';
import type { Schema } from './openapi-operations.ts';

/** Texts that are known to break programs. */
export const EDGE_CASE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'nul\u0000inside',
  '\ud800',
  '\udfff tail',
  'a\ud83d',
  '\u202eevil\u202c',
  '\u200b\u200d\ufeff',
  '𝕿𝖍𝖊 𝖖𝖚𝖎𝖈𝖐',
  '👩‍👩‍👧‍👦',
  'e' + '\u0301'.repeat(300),
  '\uffff\ufffe',
  '\r\n\r\nHTTP/1.1 200 OK',
  "' OR 1=1 --",
  '"; drop table devices;',
  '%s%n%x',
  '${7*7}{{7*7}}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  'C:\\Windows',
  '\\\\?\\',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '0x7f',
  '2026-02-30',
  '2026-13-01T00:00:00.000Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-00-00T00:00:00.000Z',
  '9999-12-31T23:59:59.999Z',
  '24:01',
  'FREQ=DAILY;COUNT=99999999999999999999',
  'FREQ=YEARLY;BYDAY=MO;INTERVAL=1000000;UNTIL=99991231',
  'FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2',
  'DTSTART:00010101T000000Z\nRRULE:FREQ=DAILY',
  'DTSTART:19000101\nRRULE:FREQ=DAILY;INTERVAL=7',
  'Europe/Berlin',
  'Etc/GMT+12',
  'dev_0000000000zzzzzzzzzzzzzzzz',
];

const EDGE_CASE_NUMBERS: readonly number[] = [
  0,
  -0,
  -1,
  0.5,
  1e308,
  -1e308,
  5e-324,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  -(2 ** 53) - 2,
  1e21,
];

/** An unexpected random JSON value. */
export function randomJson(random: SeededRandom, depth = 0): unknown {
  switch (random.below(depth > 2 ? 6 : 12)) {
    case 0:
      return null;
    case 1:
      return random.oneIn(2);
    case 2:
      return random.pick(EDGE_CASE_NUMBERS);
    case 3:
    case 4:
    case 5:
      return random.pick(EDGE_CASE_TEXTS);
    case 6:
      return 'long '.repeat(random.pick([50, 2_000, 20_000]));
    case 7:
      return Array.from({ length: random.pick([0, 1, 3, 1_001]) }, () => randomJson(random, depth + 2));
    case 8:
      return {};
    case 9:
      return { [random.pick(EDGE_CASE_TEXTS)]: randomJson(random, depth + 1) };
    case 10:
      return nested(random.pick([10, 100, 900]));
    default:
      return [randomJson(random, depth + 1)];
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) {
    value = i % 2 === 0 ? [value] : { a: value };
  }
  return value;
}

/** Returns an existing value for a property name, or undefined. */
export type ValueLookup = (name: string) => unknown;

/** Generates a value from a schema; mostly valid, as far as the schema is supported. */
export function fromSchema(schema: Schema, random: SeededRandom, lookUp: ValueLookup, name = ''): unknown {
  const knownValue = lookUp(name);
  if (knownValue !== undefined && !random.oneIn(8)) {
    return knownValue;
  }
  if ('const' in schema) {
    return schema['const'];
  }
  if (Array.isArray(schema['enum'])) {
    return random.pick(schema['enum']);
  }
  for (const choice of ['anyOf', 'oneOf', 'allOf']) {
    if (Array.isArray(schema[choice])) {
      return fromSchema(asObject(random.pick(asArray(schema[choice]))), random, lookUp, name);
    }
  }
  const example = Array.isArray(schema['examples']) ? schema['examples'][0] : schema['example'];
  if (example !== undefined && !random.oneIn(4)) {
    return example;
  }
  const type = Array.isArray(schema['type']) ? random.pick(asArray(schema['type'])) : schema['type'];
  switch (type) {
    case 'object': {
      const properties = asObject(schema['properties']);
      const required = asArray(schema['required']);
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([key]) => required.includes(key) || random.oneIn(2))
          .map(([key, one]) => [key, fromSchema(asObject(one), random, lookUp, key)]),
      );
    }
    case 'array':
      return Array.from({ length: random.below(4) }, () =>
        fromSchema(asObject(schema['items']), random, lookUp, name.replace(/s$/, '')),
      );
    case 'integer':
    case 'number': {
      const low = Number(schema['minimum'] ?? 0);
      const high = Number(schema['maximum'] ?? low + 1_000);
      return random.pick([low, high, low + Math.floor((Math.min(high, low + 1e6) - low) / 2)]);
    }
    case 'boolean':
      return random.oneIn(2);
    case 'null':
      return null;
    case 'string':
      return stringFor(schema, random);
    default:
      return randomJson(random, 2);
  }
}

function stringFor(schema: Schema, random: SeededRandom): string {
  const format = schema['format'];
  if (format === 'date-time') {
    return random.pick(['2026-11-20T08:00:00.000Z', '2027-01-01T00:00:00Z']);
  }
  if (format === 'date') {
    return random.pick(['2026-11-20', '2028-02-29']);
  }
  const most = Number(schema['maxLength'] ?? 40);
  return random.pick([
    'Breakfast',
    'Ünïcode',
    'x'.repeat(Math.min(most, 3_000)),
    'a',
    '09:00',
    '17:30',
    'counter',
  ]);
}

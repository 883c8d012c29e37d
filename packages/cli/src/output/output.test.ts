import { expect, test } from 'vitest';
import { PlacardError } from '@placard/client';
import { EXIT, exitCodeOf, UsageError } from './failure.ts';
import { formatBar } from './progress.ts';
import { formatFields, formatTable, textOf } from './table.ts';

test('columns are as wide as what is in them', () => {
  const columns = { NAME: (row: string[]) => row[0], 'LAST SEEN': (row: string[]) => row[1] };
  expect(
    formatTable(
      [
        ['Counter left', '8:00'],
        ['x', ''],
      ],
      columns,
    ),
  ).toBe(['NAME          LAST SEEN', 'Counter left  8:00', 'x             –'].join('\n'));
  expect(formatFields({ id: 'dev_1', tags: ['a', 'b'] })).toBe('id    dev_1\ntags  a, b');
});

test('what a screen reports cannot give orders to a terminal', () => {
  expect(textOf('a\u001B[2Jb\nc')).toBe('a·[2Jb·c');
  expect([textOf(null), textOf([]), textOf({ a: 1 })]).toEqual(['–', '', '{"a":1}']);
});

test('a bar fits the terminal', () => {
  expect(formatBar('menu.mp4', 50, 100, 80)).toBe('menu.mp4 [############            ]  50 %');
  expect(formatBar('a very long name of a file', 0, 100, 40)).toHaveLength(39);
  expect(formatBar('empty', 0, 0, 80)).toContain('100 %');
});

test.each([
  [401, EXIT.forbidden],
  [403, EXIT.forbidden],
  [404, EXIT.notFound],
  [400, EXIT.failed],
  [409, EXIT.failed],
  [0, EXIT.unavailable],
  [429, EXIT.unavailable],
  [503, EXIT.unavailable],
])('status %d is exit code %d', (status, code) => {
  expect(exitCodeOf(new PlacardError({ code: 'X', message: '', status }))).toBe(code);
});

test('wrong arguments, a missing key and a name that does not exist have exit codes of their own', () => {
  const codes = (['usage', 'login', 'notFound'] as const).map((kind) => exitCodeOf(new UsageError('', kind)));
  expect(codes).toEqual([EXIT.usage, EXIT.forbidden, EXIT.notFound]);
  expect(exitCodeOf(new Error('x'))).toBe(EXIT.failed);
});

import { rolloutCause } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import { causeOf } from './rollouts.ts';

test.each([
  ['Raspberry Pi 4 with chromium', { model: 'Raspberry Pi 4', shell: 'chromium' }],
  ['rare boards', { model: null, shell: null }],
  [null, { model: null, shell: null }],
])('a cause of an earlier version, with the kind %j alone, has its parts as well', (kind, parts) => {
  const stored = { type: 'broken_update', kind, answered: 4, broken: 3 };
  const cause = causeOf({ reason: JSON.stringify(stored) });
  expect(cause).toEqual({ ...stored, ...parts });
  expect(rolloutCause.safeParse(cause).error).toBeUndefined();
});

test('a cause without a kind stays as it is; a sentence, as it was stored at first, is none', () => {
  expect(causeOf({ reason: '{"type":"nothing_older"}' })).toEqual({ type: 'nothing_older' });
  expect(causeOf({ reason: 'Stopped by Ada.' })).toBeNull();
  expect(causeOf({ reason: null })).toBeNull();
});

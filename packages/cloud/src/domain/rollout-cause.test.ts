import { rolloutCause } from '@placard/protocol/api';
import type { RolloutCause } from '@placard/protocol/api';
import { expect, test } from 'vitest';
import { describeCause } from './rollout-cause.ts';

/** As a newer node has stored it. */
const stored = (json: object): RolloutCause => JSON.parse(JSON.stringify(json));

test('a cause of a newer version is said by its name', () => {
  const cause = stored({ type: 'sunspots', planet: 'Mars' });
  expect(rolloutCause.safeParse(cause).success).toBe(false);
  expect(describeCause(cause, '1.4.0')).toBe(
    'The cause is `sunspots`, which this version of the cloud does not know.',
  );
});

test('a measure of a newer version is said by its name, with its values', () => {
  const cause = {
    type: 'worse',
    measure: 'colours',
    kind: null,
    model: null,
    shell: null,
    updated: 6,
    before: 0.14,
    after: 72,
    others: 114,
    others_before: 0.14,
    others_after: 0,
  };
  expect(describeCause(stored(cause), '1.4.0')).toBe(
    'colours went from 0.14 to 72 (of 6 updated screens); on 114 others: 0.14 before, 0 now.',
  );
});

test('without an older version the one that was asked for is named', () => {
  expect(describeCause({ type: 'nothing_older' }, '1.4.0')).toContain('a version older than 1.4.0');
});

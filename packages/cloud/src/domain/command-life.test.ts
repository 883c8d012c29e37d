import { expect, test } from 'vitest';
import { afterReport, isFinished } from './command-life.ts';

test('reports move a command on, never back', () => {
  expect(afterReport('queued', 'acknowledged')).toBe('acknowledged');
  expect(afterReport('delivered', 'succeeded')).toBe('succeeded');
  expect(afterReport('acknowledged', 'failed')).toBe('failed');
  expect(afterReport('succeeded', 'acknowledged')).toBe('succeeded');
  expect(afterReport('succeeded', 'failed')).toBe('succeeded');
  expect(afterReport('failed', 'succeeded')).toBe('failed');
});

test('a result that comes after expiry is the truth, an acknowledgement is too late', () => {
  expect(afterReport('expired', 'acknowledged')).toBe('expired');
  expect(afterReport('expired', 'succeeded')).toBe('succeeded');
  expect((['succeeded', 'failed', 'expired'] as const).every(isFinished)).toBe(true);
  expect((['queued', 'delivered', 'acknowledged'] as const).some(isFinished)).toBe(false);
});

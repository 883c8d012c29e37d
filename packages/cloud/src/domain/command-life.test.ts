import { expect, test } from 'vitest';
import type { CommandStatus } from '@placard/protocol/api';
import { afterReport as after, isFinished } from './command-life.ts';

const EXPIRES_AT = 1000;
const afterReport = (
  status: CommandStatus,
  report: 'acknowledged' | 'succeeded' | 'failed',
  { deliveredAt = 10, nowMs = 20 }: { deliveredAt?: number | null; nowMs?: number } = {},
) => after({ status, expires_at: EXPIRES_AT, delivered_at: deliveredAt }, report, nowMs);

test('reports move a command on, never back', () => {
  expect(afterReport('queued', 'acknowledged')).toBe('acknowledged');
  expect(afterReport('delivered', 'succeeded')).toBe('succeeded');
  expect(afterReport('acknowledged', 'failed')).toBe('failed');
  expect(afterReport('succeeded', 'acknowledged')).toBe('succeeded');
  expect(afterReport('succeeded', 'failed')).toBe('succeeded');
  expect(afterReport('failed', 'succeeded')).toBe('failed');
});

test('what was not delivered before it expired cannot have been run', () => {
  const late = { deliveredAt: null, nowMs: EXPIRES_AT };
  for (const report of ['acknowledged', 'succeeded', 'failed'] as const) {
    expect(afterReport('expired', report, late)).toBe('expired');
    expect(afterReport('queued', report, late), 'not swept up yet').toBe('queued');
  }
  expect(afterReport('queued', 'succeeded', { ...late, nowMs: EXPIRES_AT - 1 })).toBe('succeeded');
});

test('a result that comes after expiry is the truth, an acknowledgement is too late', () => {
  expect(afterReport('expired', 'acknowledged')).toBe('expired');
  expect(afterReport('expired', 'succeeded')).toBe('succeeded');
  expect((['succeeded', 'failed', 'expired'] as const).every(isFinished)).toBe(true);
  expect((['queued', 'delivered', 'acknowledged'] as const).some(isFinished)).toBe(false);
});

import { expect, test } from 'vitest';
import type { CommandStatus } from '@placard/protocol/api';
import { isFinished, nextCommandStatus } from './command-lifecycle.ts';

const EXPIRES_AT = 1000;
const nextStatus = (
  status: CommandStatus,
  report: 'acknowledged' | 'succeeded' | 'failed',
  { deliveredAt = 10, nowMs = 20 }: { deliveredAt?: number | null; nowMs?: number } = {},
) => nextCommandStatus({ status, expires_at: EXPIRES_AT, delivered_at: deliveredAt }, report, nowMs);

test('reports only move a command forward', () => {
  expect(nextStatus('queued', 'acknowledged')).toBe('acknowledged');
  expect(nextStatus('delivered', 'succeeded')).toBe('succeeded');
  expect(nextStatus('acknowledged', 'failed')).toBe('failed');
  expect(nextStatus('succeeded', 'acknowledged')).toBe('succeeded');
  expect(nextStatus('succeeded', 'failed')).toBe('succeeded');
  expect(nextStatus('failed', 'succeeded')).toBe('failed');
});

test('a command that expired before delivery cannot have been run', () => {
  const late = { deliveredAt: null, nowMs: EXPIRES_AT };
  for (const report of ['acknowledged', 'succeeded', 'failed'] as const) {
    expect(nextStatus('expired', report, late)).toBe('expired');
    expect(nextStatus('queued', report, late), 'not yet marked as expired').toBe('queued');
  }
  expect(nextStatus('queued', 'succeeded', { ...late, nowMs: EXPIRES_AT - 1 })).toBe('succeeded');
});

test('a result is accepted after expiry, an acknowledgement is not', () => {
  expect(nextStatus('expired', 'acknowledged')).toBe('expired');
  expect(nextStatus('expired', 'succeeded')).toBe('succeeded');
  expect((['succeeded', 'failed', 'expired'] as const).every(isFinished)).toBe(true);
  expect((['queued', 'delivered', 'acknowledged'] as const).some(isFinished)).toBe(false);
});

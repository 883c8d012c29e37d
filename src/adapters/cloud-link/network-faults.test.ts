import { Fault } from '@placard/protocol';
import { expect, test } from 'vitest';
import { networkErrorCode, retryAfterMs, toNetworkFault } from './network-faults.ts';

const error = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['ENOTFOUND', 'cloud.unreachable'],
  ['EAI_AGAIN', 'cloud.unreachable'],
  ['ECONNREFUSED', 'cloud.unreachable'],
  ['UND_ERR_CONNECT_TIMEOUT', 'cloud.unreachable'],
  ['CERT_HAS_EXPIRED', 'cloud.tls'],
  ['CERT_NOT_YET_VALID', 'cloud.tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'cloud.tls'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'cloud.tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'cloud.tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'cloud.tls'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'cloud.tls'],
])('%s becomes %s, with a retry', (code, fault) => {
  expect(toNetworkFault(error(code), { path: '/x' })).toMatchObject({
    code: fault,
    retry: 'later',
    details: { path: '/x', reason: code },
  });
});

test('finds the code of a wrapped error', () => {
  expect(networkErrorCode(new Error('outer', { cause: error('ENOTFOUND') }))).toBe('ENOTFOUND');
  expect(networkErrorCode(new AggregateError([error('ECONNREFUSED'), error('ENETUNREACH')]))).toBe(
    'ECONNREFUSED',
  );
  expect(networkErrorCode(new DOMException('late', 'TimeoutError'))).toBe('ETIMEDOUT');
  expect(networkErrorCode('no error at all')).toBe('');
});

test('returns a fault unchanged', () => {
  const fault = new Fault('cloud.busy', 'later');
  expect(toNetworkFault(fault, {})).toBe(fault);
});

const waitMs = (header: string | undefined, chance = 0) => retryAfterMs(header, { next: () => chance });

test('reads Retry-After in whole seconds and limits it to about an hour', () => {
  expect(waitMs('7')).toBe(7_000);
  expect(waitMs('60', 0.5)).toBe(75_000);
  expect(waitMs('86400')).toBe(3_600_000);
  expect(waitMs('0')).toBe(5_000);
  expect(waitMs('')).toBe(null);
  expect(waitMs('-1')).toBe(null);
  expect(waitMs('Fri, 20 Nov 2026 12:00:00 GMT')).toBe(null);
  expect(waitMs(undefined)).toBe(null);
});

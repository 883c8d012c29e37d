import { Fault } from '@placard/protocol';
import { expect, test } from 'vitest';
import { networkCode, retryAfterMs, translateNetwork } from './translate.ts';

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
])('%s becomes %s, to be tried again', (code, fault) => {
  expect(translateNetwork(error(code), { path: '/x' })).toMatchObject({
    code: fault,
    retry: 'later',
    facts: { path: '/x', reason: code },
  });
});

test('the cause is found inside of what wraps it', () => {
  expect(networkCode(new Error('outer', { cause: error('ENOTFOUND') }))).toBe('ENOTFOUND');
  expect(networkCode(new AggregateError([error('ECONNREFUSED'), error('ENETUNREACH')]))).toBe('ECONNREFUSED');
  expect(networkCode(new DOMException('late', 'TimeoutError'))).toBe('ETIMEDOUT');
  expect(networkCode('no error at all')).toBe('');
});

test('a fault stays what it is', () => {
  const fault = new Fault('cloud.busy', 'later');
  expect(translateNetwork(fault, {})).toBe(fault);
});

const waitMs = (header: string | undefined, chance = 0) => retryAfterMs(header, { next: () => chance });

test('a wait is taken in whole seconds, and never for much longer than an hour', () => {
  expect(waitMs('7')).toBe(7_000);
  expect(waitMs('60', 0.5)).toBe(75_000);
  expect(waitMs('86400')).toBe(3_600_000);
  expect(waitMs('0')).toBe(5_000);
  expect(waitMs('')).toBe(null);
  expect(waitMs('-1')).toBe(null);
  expect(waitMs('Fri, 20 Nov 2026 12:00:00 GMT')).toBe(null);
  expect(waitMs(undefined)).toBe(null);
});

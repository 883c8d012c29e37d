import { operations } from '@placard/protocol/api';
import type { Operation, Scope } from '@placard/protocol/api';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { createApiClient } from './support/client.ts';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

async function refused(headers: Record<string, string>, path = '/v1/devices') {
  const answer = await cloud.clientFor(null).get(path, headers);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  return answer.error?.code;
}

test('a missing, malformed or unknown key is rejected, also one in the URL', async () => {
  expect(await refused({})).toBe('UNAUTHORIZED');
  expect(await refused({ authorization: ADMIN_KEY })).toBe('UNAUTHORIZED');
  expect(await refused({ authorization: 'Basic abc' })).toBe('UNAUTHORIZED');
  expect(await refused({ authorization: 'Bearer ' })).toBe('UNAUTHORIZED');
  expect(await refused({ authorization: 'Bearer wrong' })).toBe('UNAUTHORIZED');
  expect(await refused({}, `/v1/devices?api_key=${ADMIN_KEY}`)).toBe('UNAUTHORIZED');
});

test('a key is shown once and works until it is revoked', async () => {
  const made = await cloud.admin.post('/v1/api-keys', { name: 'Till', scope: 'Read' });
  expect(made.status).toBe(201);
  const key = cloud.clientFor(made.data.key);
  expect((await key.get('/v1/devices')).status).toBe(200);
  await eventually(async () => {
    // Other nodes know within a minute when a key was last used.
    cloud.clock.advance(20_000);
    const { data } = await cloud.admin.get('/v1/api-keys');
    expect(data.find((each: { id: string }) => each.id === made.data.id)).toEqual({
      id: made.data.id,
      name: 'Till',
      scope: 'Read',
      last_four: made.data.key.slice(-4),
      created_at: made.data.created_at,
      expires_at: null,
      last_used_at: expect.any(String),
    });
  });
  expect((await cloud.admin.delete(`/v1/api-keys/${made.data.id}`)).data).toEqual({
    id: made.data.id,
    deleted: true,
  });
  expect((await key.get('/v1/devices')).error?.code).toBe('UNAUTHORIZED');
  expect((await cloud.admin.delete(`/v1/api-keys/${made.data.id}`)).error?.code).toBe('KEY_NOT_FOUND');
});

const askTwice = () =>
  cloud.admin.post('/v1/api-keys', { name: 'Twice', scope: 'Read' }, { 'idempotency-key': 'make-key' });

test('a repeated key creation returns the same key, and its secret is not on disk', async () => {
  const [first, again] = [await askTwice(), await askTwice()];
  expect(again.data).toEqual(first.data);
  const stored = await cloud.inDatabase(async (db) => {
    const tables = await db.introspection.getTables();
    return Promise.all(tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  });
  expect(JSON.stringify(stored)).toContain(first.data.id);
  expect(JSON.stringify(stored)).not.toContain(first.data.key);
  expect(JSON.stringify(stored)).not.toContain(ADMIN_KEY);
});

test('a key stops working when it expires', async () => {
  const expires = new Date(cloud.clock.nowMs() + 60_000).toISOString();
  const made = await cloud.admin.post('/v1/api-keys', { name: 'Short', scope: 'Read', expires_at: expires });
  const key = cloud.clientFor(made.data.key);
  expect((await key.get('/v1/devices')).status).toBe(200);
  cloud.clock.advance(60_000);
  expect((await key.get('/v1/devices')).error?.code).toBe('UNAUTHORIZED');
  const past = { name: 'Late', scope: 'Read', expires_at: expires };
  expect((await cloud.admin.post('/v1/api-keys', past)).error?.details).toEqual([
    { path: 'expires_at', message: 'must be in the future' },
  ]);
});

test('the last Admin key cannot be revoked', async () => {
  const keys = (await cloud.admin.get('/v1/api-keys')).data;
  const admins = keys.filter((key: { scope: string }) => key.scope === 'Admin');
  expect(admins).toHaveLength(1);
  expect((await cloud.admin.delete(`/v1/api-keys/${admins[0].id}`)).error?.code).toBe('CONFLICT');
});

test('name and time zone of the organization can be changed', async () => {
  const changed = await cloud.admin.patch('/v1/organization', { name: 'Bakery', timezone: 'Europe/Berlin' });
  expect(changed.data).toMatchObject({ name: 'Bakery', timezone: 'Europe/Berlin' });
  expect((await cloud.admin.get('/v1/organization')).data).toEqual(changed.data);
  expect((await cloud.admin.patch('/v1/organization', { timezone: 'Mars/Olympus' })).status).toBe(400);
  expect((await cloud.admin.patch('/v1/organization', { timezone: '+01:00' })).status).toBe(400);
});

describe('rate limits', () => {
  for (const [scope, limit] of [
    ['Read', 100],
    ['Write', 30],
    ['Admin', 30],
  ] as const) {
    test(`a ${scope} key makes exactly ${limit} requests in any minute`, async () => {
      const secret = await cloud.createKey(scope);
      const still = createApiClient({ url: () => cloud.cloud.url, secret, beforeRequest: () => {} });
      // Half late in one minute, half early in the next: the window is sliding.
      cloud.clock.advance(60_000 - (cloud.clock.nowMs() % 60_000) - 1000);
      for (let i = 0; i < limit / 2; i++) {
        expect((await still.get('/v1/organization')).status).toBe(200);
      }
      cloud.clock.advance(30_000);
      for (let i = limit / 2; i < limit; i++) {
        const answer = await still.get('/v1/organization');
        expect(answer.status).toBe(200);
        expect(answer.headers.get('ratelimit-limit')).toBe(String(limit));
        expect(answer.headers.get('ratelimit-remaining')).toBe(String(limit - 1 - i));
      }
      const over = await still.get('/v1/organization');
      expect([over.error?.code, over.headers.get('retry-after')]).toEqual(['RATE_LIMITED', '30']);
      cloud.clock.advance(29_999);
      expect((await still.get('/v1/organization')).status).toBe(429);
      cloud.clock.advance(1);
      for (let i = 0; i < limit / 2; i++) {
        expect((await still.get('/v1/organization')).status).toBe(200);
      }
      expect((await still.get('/v1/organization')).status).toBe(429);
    });
  }

  test('keys have separate rate limits', async () => {
    const [a, b] = [await cloud.createKey('Write'), await cloud.createKey('Write')];
    const client = (secret: string) =>
      createApiClient({ url: () => cloud.cloud.url, secret, beforeRequest: () => {} });
    for (let i = 0; i < 31; i++) {
      await client(a).get('/v1/organization');
    }
    expect((await client(a).get('/v1/organization')).status).toBe(429);
    expect((await client(b).get('/v1/organization')).status).toBe(200);
  });
});

const verdict = (status: number, code: string | undefined) =>
  status === 401
    ? 'unknown'
    : code === 'SESSION_REQUIRED'
      ? 'no person'
      : code === 'INSUFFICIENT_SCOPE'
        ? 'refused'
        : 'let in';

describe('every operation requires its scope', () => {
  const ALL: readonly Operation[] = Object.values(operations);
  const allowed: Record<Scope, readonly Operation['access'][]> = {
    Read: ['Read'],
    Write: ['Read', 'Write'],
    Admin: ['Read', 'Write', 'Admin'],
  };

  const expected = ({ access }: Operation, scope: Scope) =>
    access === 'Device'
      ? 'unknown'
      : access === 'Person'
        ? 'no person'
        : allowed[scope].includes(access)
          ? 'let in'
          : 'refused';
  test.each(['Read', 'Write', 'Admin'] as const)('with a key of scope %s', async (scope) => {
    const key = cloud.clientFor(await cloud.createKey(scope));
    for (const operation of ALL) {
      if (operation.access === 'Public') {
        continue;
      }
      const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
      const { status, error } = await key.call(operation.method, path);
      const what = `${operation.id} answered ${status} ${error?.code}`;
      expect(verdict(status, error?.code), what).toBe(expected(operation, scope));
    }
  });

  test('without a key only the public operations work', async () => {
    for (const operation of ALL) {
      const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
      const { status, error } = await cloud.clientFor(null).call(operation.method, path);
      expect(status === 401 && error?.code !== 'SIGN_IN_FAILED', operation.id).toBe(
        operation.access !== 'Public',
      );
    }
  });

  test('reading needs Read, changing Write, deleting a resource Admin', () => {
    for (const { id, method, path, access } of ALL) {
      if (access === 'Device' || access === 'Public' || access === 'Person') {
        continue;
      }
      const admin =
        /^\/v1\/(api-keys|webhooks|audit-log|users|invitations)/.test(path) ||
        (method === 'PATCH' && path === '/v1/organization') ||
        (method === 'DELETE' && !/\/(items|uploads|alert-mutes)\//.test(path));
      // Logs name networks and servers; who may only look at screens need not know them.
      const reads = method === 'GET' && !/\/logs(\/|$)/.test(path);
      expect(access, id).toBe(admin ? 'Admin' : reads ? 'Read' : 'Write');
    }
  });
});

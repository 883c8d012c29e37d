import { isForCustomers, operations } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { addPerson, openBrowser } from './support/browser.ts';
import type { Person } from './support/browser.ts';
import { openEventStream } from './support/event-stream.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const ROLES = ['Viewer', 'Editor', 'Admin'] as const;
type Role = (typeof ROLES)[number];
const ALL: readonly Operation[] = Object.values(operations);

let cloud: TestCloud;
let people: Record<Role, Person>;
beforeAll(async () => {
  cloud = await startTestCloud();
  people = {
    Viewer: await addPerson(cloud, 'Viewer'),
    Editor: await addPerson(cloud, 'Editor'),
    Admin: await addPerson(cloud, 'Admin'),
  };
});
afterAll(() => cloud.close());

/** Ends the session, or changes the account: asked for by other tests. */
const CHANGES_THE_SESSION: readonly string[] = ['changePassword', 'confirmSecondFactor', 'stopSecondFactor'];

const verdict = (status: number, code: string | undefined) =>
  status === 401 && code === 'UNAUTHORIZED'
    ? 'unknown'
    : code === 'INSUFFICIENT_SCOPE'
      ? 'refused'
      : 'let in';

/** A browser with the session of the Editor, at a page of another origin. */
const withOrigin = (origin: string | null, extra: Record<string, string> = {}) => {
  const browser = openBrowser(cloud, { origin, headers: extra });
  people.Editor.cookies.forEach((value, name) => browser.cookies.set(name, value));
  return browser;
};

const countStores = async () => (await cloud.admin.get('/v1/stores')).meta.total;

describe('every operation lets in the roles whose scope it needs', () => {
  const allowed: Record<Role, readonly Operation['access'][]> = {
    Viewer: ['Person', 'Read'],
    Editor: ['Person', 'Read', 'Write'],
    Admin: ['Person', 'Read', 'Write', 'Admin'],
  };
  test.each(ROLES)('a person with the role %s', async (role) => {
    for (const operation of ALL) {
      if (operation.access === 'Public' || CHANGES_THE_SESSION.includes(operation.id)) {
        continue;
      }
      const path = operation.path.replaceAll(/\{\w+\}/g, 'none');
      const { status, error } = await people[role].client.call(operation.method, path);
      const expected =
        operation.access === 'Device'
          ? 'unknown'
          : allowed[role].includes(operation.access)
            ? 'let in'
            : 'refused';
      expect(verdict(status, error?.code), `${operation.id} answered ${status} ${error?.code}`).toBe(
        expected,
      );
    }
  });

  test('and a role that is too small is named', async () => {
    const { error } = await people.Viewer.client.post('/v1/stores', { name: 'S' });
    expect(error?.message).toBe('This needs the role Editor; yours is Viewer. Ask an Admin.');
  });
});

describe('a page of another site', () => {
  const FOREIGN = [
    'http://evil.example.com',
    'null',
    'http://127.0.0.1',
    'http://127.0.0.1.evil.example.com:8787',
    '',
  ];

  test('cannot change anything with the session of a person, nor can a request without origin', async () => {
    const before = await countStores();
    for (const origin of [...FOREIGN, null]) {
      const { client } = withOrigin(origin);
      const { status, error } = await client.post('/v1/stores', { name: 'Forged' });
      expect([status, error?.code], String(origin)).toEqual([403, 'ORIGIN_NOT_ALLOWED']);
    }
    expect(await countStores()).toBe(before);
    const changing = ALL.filter((each) => each.method !== 'GET' && isForCustomers(each));
    const foreign = withOrigin('http://evil.example.com');
    for (const { id, method, path } of changing) {
      const { error } = await foreign.client.call(method, path.replaceAll(/\{\w+\}/g, 'none'));
      expect(error?.code, id).toBe('ORIGIN_NOT_ALLOWED');
    }
  });

  test('cannot sign anybody in, out, or up', async () => {
    const foreign = withOrigin('http://evil.example.com');
    const changing = ALL.filter(({ setsCookies, access }) => setsCookies && access === 'Public');
    expect(changing.length).toBeGreaterThan(6);
    for (const { id, path } of changing) {
      expect((await foreign.client.post(path, {})).error?.code, id).toBe('ORIGIN_NOT_ALLOWED');
    }
    expect((await people.Editor.client.get('/v1/me')).status).toBe(200);
  });

  test('cannot send a form, and is given no answer to read', async () => {
    const { client } = withOrigin(null);
    const form = await client.send('POST', '/v1/auth/sign-in', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'email=a%40example.com&password=secret-secret',
    });
    expect(form.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    const read = await client.raw('/v1/me', { headers: { origin: 'http://evil.example.com' } });
    expect(read.headers.get('access-control-allow-origin')).toBeNull();
    expect(read.headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('while pages at the public URL, and at the address that the browser uses, may', async () => {
    expect((await withOrigin(cloud.cloud.publicUrl).client.post('/v1/stores', { name: 'Own' })).status).toBe(
      201,
    );
    expect((await withOrigin(cloud.cloud.url).client.post('/v1/stores', { name: 'Own' })).status).toBe(201);
  });
});

test('a key goes before a session', async () => {
  const key = await cloud.createKey('Read');
  const { client } = people.Admin;
  const asKey = await client.get('/v1/me', { authorization: `Bearer ${key}` });
  expect(asKey.data).toMatchObject({ type: 'api_key', scope: 'Read' });
  expect((await client.get('/v1/me', { authorization: 'Bearer wrong-key' })).status).toBe(401);
});

test('a session may make 600 requests a minute, and these do not count for keys', async () => {
  const busy = await addPerson(cloud, 'Viewer');
  const cookie = [...busy.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const read = () => fetch(`${cloud.cloud.url}/v1/organization`, { headers: { cookie } });
  cloud.clock.advance(60_000);
  const first = await read();
  expect([
    first.status,
    first.headers.get('ratelimit-limit'),
    first.headers.get('ratelimit-remaining'),
  ]).toEqual([200, '600', '599']);
  for (let n = 1; n < 600; n++) {
    const response = await read();
    await response.arrayBuffer();
    expect(response.status).toBe(200);
  }
  expect((await read()).status).toBe(429);
  const again = openBrowser(cloud);
  expect((await again.signIn(busy.email)).status).toBe(200);
  expect((await again.client.get('/v1/organization')).status, 'another session of the person').toBe(200);
});

test('a stream of events ends with the session', async () => {
  const watcher = await addPerson(cloud, 'Viewer');
  const cookie = [...watcher.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const stream = await openEventStream(cloud.cloud.url, { cookie });
  expect(stream.status).toBe(200);
  await cloud.admin.delete(`/v1/users/${watcher.id}/sessions`);
  let hasEnded = false;
  void stream.ended.then(() => (hasEnded = true));
  await eventually(() => {
    // The next look begins only when the one before has ended.
    cloud.clock.advance(15_000);
    expect(hasEnded).toBe(true);
  });
});

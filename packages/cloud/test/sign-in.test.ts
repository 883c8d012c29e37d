import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPerson, openBrowser, PASSWORD, tokenOf } from './support/browser.ts';
import type { Person } from './support/browser.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

let cloud: TestCloud;
let ada: Person;
beforeAll(async () => {
  cloud = await startTestCloud();
  ada = await addPerson(cloud, 'Editor', { name: 'Ada', email: 'ada@example.com' });
});
afterAll(() => cloud.close());

const statusOfMe = async ({ client }: Pick<Person, 'client'>) => (await client.get('/v1/me')).status;

test('the first start gives a link with which the first Admin signs up, once', async () => {
  const fresh = await startTestCloud();
  try {
    const url = fresh.cloud.firstAdminUrl ?? '';
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invitation#[\w-]{40}$/);
    const token = tokenOf(url);
    const first = openBrowser(fresh);
    expect((await first.client.post('/v1/auth/invitation', { token })).data).toMatchObject({
      organization: 'My organization',
      email: null,
      role: 'Admin',
      stores: null,
    });
    const signUp = { token, name: 'Root', email: 'Root@Example.com', password: PASSWORD };
    expect((await first.client.post('/v1/auth/accept-invitation', signUp)).status).toBe(201);
    expect((await first.client.get('/v1/me')).data).toMatchObject({
      email: 'root@example.com',
      role: 'Admin',
      scope: 'Admin',
    });
    expect((await first.client.get('/v1/users')).meta.total).toBe(1);
    expect((await openBrowser(fresh).client.post('/v1/auth/accept-invitation', signUp)).error?.code).toBe(
      'LINK_EXPIRED',
    );
    await fresh.restart();
    expect(fresh.cloud.firstAdminUrl).toBeNull();
    expect(await statusOfMe(first), 'the session survives a restart').toBe(200);
  } finally {
    await fresh.close();
  }
});

test('a person signs in with e-mail address and password, and out again', async () => {
  const browser = openBrowser(cloud);
  expect((await browser.signIn('ADA@example.com ')).data).toEqual({ second_factor_needed: false });
  expect((await browser.client.get('/v1/me')).data).toMatchObject({
    type: 'user',
    id: ada.id,
    name: 'Ada',
    role: 'Editor',
    scope: 'Write',
    stores: null,
  });
  const stolen = new Map(browser.cookies);
  expect((await browser.client.post('/v1/auth/sign-out')).status).toBe(200);
  expect(browser.cookies.size).toBe(0);
  const thief = openBrowser(cloud);
  stolen.forEach((value, name) => thief.cookies.set(name, value));
  expect(await statusOfMe(thief), 'a cookie that was copied before').toBe(401);
});

test('the cookie of a session is for this site and for no script, and not kept in the database', async () => {
  const response = await openBrowser(cloud).client.raw('/v1/auth/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: ada.email, password: PASSWORD }),
  });
  const [cookie = ''] = response.headers.getSetCookie();
  expect(cookie).toMatch(/^placard\.session_token=[\w-]{32}\./);
  for (const attribute of [/; HttpOnly/i, /; SameSite=Strict/i, /; Path=\//i, /; Max-Age=2592000/i]) {
    expect(cookie).toMatch(attribute);
  }
  expect(cookie).not.toMatch(/Secure|Domain/i);
  expect(await response.text()).not.toContain(/=([\w-]{32})\./.exec(cookie)?.[1]);
  const token = /=([\w-]{32})\./.exec(cookie)?.[1] ?? '';
  const rows = await cloud.inDatabase((db) => db.selectFrom('sessions').selectAll().execute());
  expect(JSON.stringify(rows)).not.toContain(token);
});

test('where the public URL is https, cookies are Secure', async () => {
  const https = await startTestCloud({ publicUrl: 'https://signage.example.com' });
  try {
    const browser = openBrowser(https, { origin: 'https://signage.example.com' });
    const token = tokenOf(https.cloud.firstAdminUrl ?? '');
    await browser.client.post('/v1/auth/accept-invitation', {
      token,
      name: 'A',
      email: 'a@example.com',
      password: PASSWORD,
    });
    expect([...browser.cookies.keys()]).toEqual(['__Secure-placard.session_token']);
    expect(await statusOfMe(browser)).toBe(200);
    expect((await browser.client.post('/v1/auth/sign-out')).headers.get('set-cookie')).toMatch(/; Secure$/);
    expect(await statusOfMe(browser)).toBe(401);
  } finally {
    await https.close();
  }
});

test('signing in gives a new session, whatever cookie the browser had, and ends the one before', async () => {
  const browser = openBrowser(cloud);
  const chosen = `${'x'.repeat(32)}.${'y'.repeat(44)}`;
  browser.cookies.set('placard.session_token', chosen);
  await browser.signIn(ada.email);
  const first = browser.cookies.get('placard.session_token');
  expect(first).not.toBe(chosen);
  const other = openBrowser(cloud);
  other.cookies.set('placard.session_token', first ?? '');
  expect(await statusOfMe(other)).toBe(200);
  await browser.signIn(ada.email);
  expect(browser.cookies.get('placard.session_token')).not.toBe(first);
  expect(await statusOfMe(other), 'the session before').toBe(401);
  expect(await statusOfMe(browser)).toBe(200);
});

const countUsedSince = async (ms: number): Promise<number> =>
  cloud.inDatabase(
    async (db) =>
      (await db.selectFrom('sessions').select('id').where('last_used_at', '>=', ms).execute()).length,
  );

test('a session ends after 30 days, and when it is not used for 7', async () => {
  const [used, unused] = [openBrowser(cloud), openBrowser(cloud)];
  await used.signIn(ada.email);
  await unused.signIn(ada.email);
  for (let day = 0; day < 29; day += 5) {
    cloud.clock.advance(5 * DAY_MS);
    expect(await statusOfMe(used), `day ${day + 5}`).toBe(day + 5 < 30 ? 200 : 401);
    const usedAtMs = cloud.clock.nowMs();
    const expected = day + 5 < 30 ? 1 : 0;
    await eventually(async () => {
      // Uses are written once a minute, in the background, unless the writing before is not finished.
      cloud.clock.advance(MINUTE_MS);
      expect(await countUsedSince(usedAtMs)).toBe(expected);
    });
  }
  expect(await statusOfMe(unused)).toBe(401);
});

describe('enumeration of accounts', () => {
  test('a wrong password, an unknown address and a disabled account get the same answer', async () => {
    const gone = await addPerson(cloud, 'Viewer', { email: 'gone@example.com' });
    await cloud.admin.patch(`/v1/users/${gone.id}`, { disabled: true });
    const answers = [];
    for (const [email, password] of [
      [ada.email, 'wrong-password'],
      ['nobody@example.com', 'wrong-password'],
      [gone.email, PASSWORD],
    ] as const) {
      const { status, error, headers } = await openBrowser(cloud).signIn(email, password);
      answers.push([status, error, headers.get('set-cookie'), headers.get('www-authenticate')]);
    }
    expect(answers[0]).toEqual([401, expect.objectContaining({ code: 'SIGN_IN_FAILED' }), null, 'Bearer']);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});

describe('guessing', () => {
  test('of one password is stopped after 20 attempts, for accounts that exist and others alike', async () => {
    for (const email of [ada.email, 'unknown@example.com']) {
      const attacker = openBrowser(cloud, { headers: { 'user-agent': 'attack' } });
      cloud.clock.advance(16 * MINUTE_MS);
      // The person is signed in elsewhere only: sessions of this address have ended.
      await cloud.inDatabase((db) => db.deleteFrom('sessions').execute());
      const statuses: number[] = [];
      for (let n = 0; n < 21; n++) {
        statuses.push((await attacker.signIn(email, `guess-number-${n}`)).status);
      }
      expect(statuses, email).toEqual([...Array.from({ length: 20 }, () => 401), 429]);
      const right = await attacker.signIn(email);
      expect(right.error?.code, 'also with the right password').toBe('RATE_LIMITED');
      expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(600);
    }
  });

  test('of strangers does not lock out a person where they are signed in', async () => {
    const bob = await addPerson(cloud, 'Viewer', { email: 'bob@example.com' });
    await cloud.inDatabase((db) =>
      db.updateTable('sessions').set({ address: '192.0.2.9' }).where('user_id', '=', bob.id).execute(),
    );
    cloud.clock.advance(16 * MINUTE_MS);
    for (let n = 0; n < 21; n++) {
      await openBrowser(cloud).signIn(bob.email, `guess-number-${n}`);
    }
    expect((await openBrowser(cloud).signIn(bob.email)).status).toBe(429);
    await cloud.inDatabase((db) =>
      db.updateTable('sessions').set({ address: '127.0.0.1' }).where('user_id', '=', bob.id).execute(),
    );
    expect((await openBrowser(cloud).signIn(bob.email)).status).toBe(200);
  });

  test('of links is stopped after 100 attempts from an address', async () => {
    cloud.clock.advance(16 * MINUTE_MS);
    const { client } = openBrowser(cloud);
    const codes = new Set<string | undefined>();
    for (let n = 0; n < 100; n++) {
      codes.add((await client.post('/v1/auth/invitation', { token: `${n}`.padEnd(40, 'x') })).error?.code);
    }
    expect([...codes]).toEqual(['LINK_EXPIRED']);
    expect((await client.post('/v1/auth/invitation', { token: 'y'.repeat(40) })).error?.code).toBe(
      'RATE_LIMITED',
    );
    cloud.clock.advance(16 * MINUTE_MS);
  });
});

test('a link for a new password works once, ends all sessions, and expires', async () => {
  const eve = await addPerson(cloud, 'Viewer', { email: 'eve@example.com' });
  const link = await cloud.admin.post(`/v1/users/${eve.id}/reset-link`);
  expect(link.data).toMatchObject({ id: eve.id, url: expect.stringContaining('/reset-password#') });
  const token = tokenOf(link.data.url);
  const chosen = 'another long password';
  const { client } = openBrowser(cloud);
  const [one, two] = await Promise.all([
    client.post('/v1/auth/reset-password', { token, password: chosen }),
    client.post('/v1/auth/reset-password', { token, password: 'the other password' }),
  ]);
  expect([one.status, two.status]).toEqual(expect.arrayContaining([200, 410]));
  expect(await statusOfMe(eve), 'a session from before').toBe(401);
  expect((await eve.signIn(eve.email)).status).toBe(401);
  expect((await eve.signIn(eve.email, one.status === 200 ? chosen : 'the other password')).status).toBe(200);
  const late = await cloud.admin.post(`/v1/users/${eve.id}/reset-link`);
  cloud.clock.advance(DAY_MS);
  expect(
    (await client.post('/v1/auth/reset-password', { token: tokenOf(late.data.url), password: chosen })).error
      ?.code,
  ).toBe('LINK_EXPIRED');
});

test('a person changes the password with the one they have, which ends their other sessions', async () => {
  const dora = await addPerson(cloud, 'Viewer', { email: 'dora@example.com' });
  const elsewhere = openBrowser(cloud);
  await elsewhere.signIn(dora.email);
  const change = (current: string, password: string) =>
    dora.client.post('/v1/me/password', { current_password: current, password });
  expect((await change('not the password', 'a new long password')).error?.code).toBe('SIGN_IN_FAILED');
  expect((await change(PASSWORD, 'short')).error?.code).toBe('VALIDATION_ERROR');
  expect((await change(PASSWORD, 'a new long password')).data).toEqual({ id: dora.id });
  expect(await statusOfMe(dora)).toBe(200);
  expect(await statusOfMe(elsewhere)).toBe(401);
  expect((await elsewhere.signIn(dora.email, 'a new long password')).status).toBe(200);
});

test('many sign-ins at the same time do not keep others waiting', async () => {
  // The cost that passwords have outside of tests.
  const costly = await startTestCloud({ passwordCostLog2: 14 });
  try {
    const over = new AbortController();
    const signIns = Promise.all(
      Array.from({ length: 8 }, () => openBrowser(costly).signIn('zoe@example.com')),
    ).finally(() => over.abort());
    let answered = 0;
    while (!over.signal.aborted) {
      expect((await fetch(`${costly.cloud.url}/healthz`)).status).toBe(200);
      answered += 1;
    }
    await signIns;
    // A password takes a quarter of a second of a thread. In the event loop there would be an answer between two of them.
    expect(answered).toBeGreaterThan(20);
  } finally {
    await costly.close();
  }
});

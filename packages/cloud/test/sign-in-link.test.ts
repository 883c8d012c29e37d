import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson, openBrowser, PASSWORD, tokenOf } from './support/browser.ts';
import type { Browser } from './support/browser.ts';
import { runCommand } from './support/command-line.ts';
import { createManualClock } from './support/manual-clock.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { totpCode } from './support/totp.ts';

const MINUTE_MS = 60_000;
const COOKIE = 'placard.session_token';

/** The commands have the time of the machine. */
const clock = createManualClock(Date.now());
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud({ clock });
});
afterAll(() => cloud.close());

async function makeLink(email: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand('users', 'sign-in-link', email, ...cloud.flags);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^http:\/\/localhost:8787\/sign-in-link#[\w-]{40}\n$/);
  return tokenOf(stdout.trim());
}

const read = ({ client }: Browser, token: string) => client.post('/v1/auth/sign-in-link', { token });
const use = ({ client }: Browser, token: string) => client.post('/v1/auth/sign-in-with-link', { token });
const statusOfMe = async ({ client }: Browser) => (await client.get('/v1/me')).status;

test('signs a person in once, without password and code, and ends no session elsewhere', async () => {
  const ada = await addPerson(cloud, 'Editor', { name: 'Ada', email: 'ada@example.com' });
  const { uri } = (await ada.client.post('/v1/me/second-factor', { password: PASSWORD })).data;
  await ada.client.post('/v1/me/second-factor/confirm', { code: totpCode(uri) });
  const token = await makeLink('ADA@example.com');
  // The audit log is sorted by time.
  clock.advance(MINUTE_MS);
  const rows = await cloud.inDatabase((db) => db.selectFrom('sign_in_steps').selectAll().execute());
  expect(JSON.stringify(rows), 'only its hash is stored').not.toContain(token);

  const browser = openBrowser(cloud);
  for (let n = 0; n < 2; n++) {
    expect((await read(browser, token)).data).toMatchObject({ name: 'Ada', email: 'ada@example.com' });
  }
  expect(await statusOfMe(browser), 'reading signs nobody in').toBe(401);
  const other = openBrowser(cloud);
  const answers = await Promise.all([use(browser, token), use(other, token)]);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 410]);
  const winner = answers[0].status === 200 ? browser : other;
  const [right, wrong] = answers[0].status === 200 ? answers : answers.toReversed();
  expect(right?.data).toEqual({ second_factor_needed: false });
  expect(wrong?.error?.code).toBe('LINK_EXPIRED');
  expect(wrong?.headers.get('set-cookie')).toBeNull();
  expect((await winner.client.get('/v1/me')).data).toMatchObject({ id: ada.id, role: 'Editor' });
  expect(await statusOfMe(ada), 'the session that the person had elsewhere').toBe(200);
  expect((await read(browser, token)).error?.code).toBe('LINK_EXPIRED');

  const { data } = await cloud.admin.get('/v1/audit-log?limit=2&resource_type=user');
  expect(data).toMatchObject([
    { action: 'user.signed_in', actor: { type: 'user', id: ada.id }, changes: [{ after: 'sign-in link' }] },
    { action: 'user.sign_in_link_created', actor: { type: 'command_line' }, resource: { id: ada.id } },
  ]);
});

test('works no longer after all sessions of the person were ended', async () => {
  const { id, email } = await addPerson(cloud, 'Editor');
  const token = await makeLink(email);
  const browser = openBrowser(cloud);
  expect((await read(browser, token)).status).toBe(200);
  await cloud.admin.delete(`/v1/users/${id}/sessions`);
  expect((await use(browser, token)).error?.code).toBe('LINK_EXPIRED');
});

test('sets a cookie like every sign-in, in place of the session that the browser had', async () => {
  const { email } = await addPerson(cloud, 'Viewer');
  const browser = openBrowser(cloud);
  await browser.signIn(email);
  const before = browser.cookies.get(COOKIE) ?? '';
  const answer = await use(browser, await makeLink(email));
  const cookie = answer.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^placard\.session_token=[\w-]{32}\./);
  for (const attribute of [/; HttpOnly/i, /; SameSite=Strict/i, /; Path=\//i, /; Max-Age=2592000/i]) {
    expect(cookie).toMatch(attribute);
  }
  expect(cookie).not.toMatch(/Secure|Domain/i);
  const old = openBrowser(cloud);
  old.cookies.set(COOKIE, before);
  expect(await statusOfMe(old), 'the session before').toBe(401);

  const chosen = `${'x'.repeat(32)}.${'y'.repeat(44)}`;
  browser.cookies.set(COOKIE, chosen);
  await use(browser, await makeLink(email));
  expect(browser.cookies.get(COOKIE)).not.toBe(chosen);
  expect(await statusOfMe(browser)).toBe(200);
});

test('works for 15 minutes', async () => {
  const { email } = await addPerson(cloud, 'Viewer');
  const madeMs = Date.now();
  const token = await makeLink(email);
  const browser = openBrowser(cloud);
  const endMs = Date.parse((await read(browser, token)).data.expires_at);
  expect(endMs).toBeGreaterThanOrEqual(madeMs + 15 * MINUTE_MS);
  expect(endMs).toBeLessThanOrEqual(Date.now() + 15 * MINUTE_MS);
  clock.advance(endMs - 1 - clock.nowMs());
  expect((await read(browser, token)).status).toBe(200);
  clock.advance(1);
  expect((await read(browser, token)).error?.code).toBe('LINK_EXPIRED');
  expect((await use(browser, token)).error?.code).toBe('LINK_EXPIRED');
});

test('lets nobody in who is disabled or removed, and is for signing in alone', async () => {
  const later = await startTestCloud({ clock: createManualClock(Date.now()) });
  try {
    const flags = later.flags;
    const link = async (command: string, email: string) =>
      tokenOf((await runCommand('users', command, email, ...flags)).stdout.trim());
    const person = await addPerson(later, 'Viewer');
    const token = await link('sign-in-link', person.email);
    const browser = openBrowser(later);
    await later.admin.patch(`/v1/users/${person.id}`, { disabled: true });
    expect((await read(browser, token)).error?.code).toBe('LINK_EXPIRED');
    expect((await use(browser, token)).error?.code).toBe('LINK_EXPIRED');
    expect(browser.cookies.size).toBe(0);
    const refused = await runCommand('users', 'sign-in-link', person.email, ...flags);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/is disabled.*users enable/)]);

    const eve = await addPerson(later, 'Viewer');
    const [reset, signIn] = [await link('reset-password', eve.email), await link('sign-in-link', eve.email)];
    expect((await use(browser, reset)).error?.code).toBe('LINK_EXPIRED');
    const password = 'another long password';
    const swapped = await browser.client.post('/v1/auth/reset-password', { token: signIn, password });
    expect(swapped.error?.code).toBe('LINK_EXPIRED');
    await later.admin.delete(`/v1/users/${eve.id}`);
    expect((await use(browser, signIn)).error?.code).toBe('LINK_EXPIRED');
  } finally {
    await later.close();
  }
});

test('cannot be used by a page of another site, nor guessed', async () => {
  clock.advance(16 * MINUTE_MS);
  const { client } = openBrowser(cloud);
  const foreign = openBrowser(cloud, { origin: 'http://evil.example.com' });
  expect((await use(foreign, 'x'.repeat(40))).error?.code).toBe('ORIGIN_NOT_ALLOWED');
  const paths = ['/v1/auth/sign-in-link', '/v1/auth/sign-in-with-link'];
  const codes = new Set<string | undefined>();
  for (let n = 0; n < 100; n++) {
    const token = `${n}`.padEnd(40, 'x');
    codes.add((await client.post(paths[n % 2] ?? '', { token })).error?.code);
  }
  expect([...codes]).toEqual(['LINK_EXPIRED']);
  for (const path of paths) {
    expect((await client.post(path, { token: 'y'.repeat(40) })).error?.code).toBe('RATE_LIMITED');
  }
});

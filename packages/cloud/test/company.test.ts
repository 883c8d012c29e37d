import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson, openBrowser } from './support/browser.ts';
import type { Browser } from './support/browser.ts';
import { startOidcProvider } from './support/oidc-provider.ts';
import type { OidcProvider } from './support/oidc-provider.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const CLIENT = { id: 'placard', secret: 'secret-of-the-client' };

let cloud: TestCloud;
let provider: OidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider(CLIENT);
  cloud = await startTestCloud({
    company: {
      name: 'Example Ltd',
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      role: null,
    },
  });
});
afterAll(async () => {
  await cloud.close();
  await provider.close();
});

/** Returns the place to which the browser is sent in the end. */
async function signInAt(
  browser: Browser,
  change: (callback: URL) => void = () => {},
): Promise<string | null> {
  const { data } = await browser.client.post('/v1/auth/company');
  const callback = new URL(provider.authorize(data.url));
  change(callback);
  const response = await browser.client.raw(callback.pathname + callback.search, { redirect: 'manual' });
  expect(response.status).toBe(303);
  return response.headers.get('location');
}

const REFUSED = '/sign-in#company-refused';

test('people of a company sign in with its accounts, if they are invited', async () => {
  expect((await cloud.admin.get('/v1/auth/methods')).data.company).toEqual({ name: 'Example Ltd' });
  provider.person = { sub: 'p-1', email: 'ada@company.example', email_verified: true, name: 'Ada' };
  const ada = openBrowser(cloud);
  expect(await signInAt(ada), 'without an invitation').toBe(REFUSED);
  expect((await ada.client.get('/v1/me')).status).toBe(401);
  const store = (await cloud.admin.post('/v1/stores', { name: 'Old town' })).data;
  await cloud.admin.post('/v1/invitations', {
    email: 'ada@company.example',
    role: 'Editor',
    stores: [store.id],
  });
  expect(await signInAt(ada)).toBe('/');
  const me = (await ada.client.get('/v1/me')).data;
  expect(me).toMatchObject({ name: 'Ada', role: 'Editor', stores: [{ id: store.id, name: 'Old town' }] });
  expect(
    (await cloud.admin.get('/v1/invitations')).data.map(({ role }: { role: string }) => role),
  ).not.toContain('Editor');
  const again = openBrowser(cloud);
  expect(await signInAt(again)).toBe('/');
  expect((await again.client.get('/v1/me')).data.id).toBe(me.id);
  const { data } = await cloud.admin.get(`/v1/audit-log?actor_id=${me.id}`);
  expect(data.map(({ action }: { action: string }) => action)).toEqual([
    'user.signed_in',
    'user.signed_in',
    'user.signed_up',
  ]);
  await cloud.admin.patch(`/v1/users/${me.id}`, { disabled: true });
  expect(await signInAt(openBrowser(cloud)), 'a disabled person').toBe(REFUSED);
});

test('an account of the cloud is taken over only by a verified address that an Admin has invited', async () => {
  const bob = await addPerson(cloud, 'Admin', { email: 'bob@company.example' });
  provider.person = { sub: 'p-2', email: 'bob@company.example', email_verified: false, name: 'Not Bob' };
  expect(await signInAt(openBrowser(cloud)), 'not verified').toBe(REFUSED);
  provider.person = { ...provider.person, email_verified: true };
  const browser = openBrowser(cloud);
  expect(await signInAt(browser)).toBe('/');
  expect((await browser.client.get('/v1/me')).data).toMatchObject({ id: bob.id, role: 'Admin' });
});

test('what does not come from the company, or from this browser, signs nobody in', async () => {
  provider.person = { sub: 'p-2', email: 'bob@company.example', email_verified: true, name: 'Bob' };
  expect(await signInAt(openBrowser(cloud), (url) => url.searchParams.set('state', 'forged'))).toBe(REFUSED);
  expect(await signInAt(openBrowser(cloud), (url) => url.searchParams.set('code', 'forged'))).toBe(REFUSED);
  provider.useWrongKey = true;
  expect(await signInAt(openBrowser(cloud)), 'signed by another').toBe(REFUSED);
  provider.useWrongKey = false;
  const [victim, attacker] = [openBrowser(cloud), openBrowser(cloud)];
  const { data } = await attacker.client.post('/v1/auth/company');
  const { pathname, search } = new URL(provider.authorize(data.url));
  await victim.client.raw(pathname + search, { redirect: 'manual' });
  expect((await victim.client.get('/v1/me')).status, 'begun in another browser').toBe(401);
});

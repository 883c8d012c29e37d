import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditEntry } from '@placard/protocol/api';
import { addPerson, openBrowser, PASSWORD, tokenOf } from './support/browser.ts';
import type { Person } from './support/browser.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
let root: Person;
let viewer: Person;
beforeAll(async () => {
  cloud = await startTestCloud();
  root = await addPerson(cloud, 'Admin', { name: 'Root', email: 'root@example.com' });
  viewer = await addPerson(cloud, 'Viewer', { name: 'Vera', email: 'vera@example.com' });
});
afterAll(() => cloud.close());

const latestEntry = async (query = ''): Promise<AuditEntry> =>
  (await cloud.admin.get(`/v1/audit-log?limit=1${query}`)).data[0];

const invite = (role: string, stores: string[]) => root.client.post('/v1/invitations', { role, stores });

describe('invitations', () => {
  test('name who made them, and are listed without their link until they are accepted', async () => {
    const made = await root.client.post('/v1/invitations', { email: 'New@Example.com', role: 'Editor' });
    expect(made.data).toMatchObject({
      email: 'new@example.com',
      role: 'Editor',
      stores: null,
      created_by: 'Root',
    });
    const listed = await root.client.get('/v1/invitations');
    expect(listed.data[0]).toMatchObject({ id: made.data.id, created_by: 'Root' });
    expect(JSON.stringify(listed.data)).not.toContain(tokenOf(made.data.url));
    expect(await latestEntry()).toMatchObject({
      actor: { type: 'user', id: root.id, name: 'Root' },
      action: 'invitation.created',
    });
    expect((await root.client.delete(`/v1/invitations/${made.data.id}`)).status).toBe(200);
    expect((await root.client.delete(`/v1/invitations/${made.data.id}`)).error?.code).toBe(
      'INVITATION_NOT_FOUND',
    );
    expect((await root.client.get('/v1/invitations')).data).toEqual([]);
    const late = await openBrowser(cloud).client.post('/v1/auth/accept-invitation', {
      token: tokenOf(made.data.url),
      name: 'N',
      password: PASSWORD,
    });
    expect(late.error?.code, 'revoked').toBe('LINK_EXPIRED');
  });

  test('are accepted once, also when two people open the link at the same time', async () => {
    const { data } = await root.client.post('/v1/invitations', { role: 'Viewer' });
    const accept = (email: string) =>
      openBrowser(cloud).client.post('/v1/auth/accept-invitation', {
        token: tokenOf(data.url),
        name: email,
        email,
        password: PASSWORD,
      });
    const answers = await Promise.all([accept('one@example.com'), accept('two@example.com')]);
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 410]));
    expect((await accept('three@example.com')).error?.code).toBe('LINK_EXPIRED');
    expect(
      (await root.client.get('/v1/users?search=one@')).meta.total +
        (await root.client.get('/v1/users?search=two@')).meta.total,
    ).toBe(1);
  });

  test('expire, and are for the address that they name', async () => {
    const { data } = await root.client.post('/v1/invitations', {
      email: 'only@example.com',
      role: 'Viewer',
      expires_in: 3600,
    });
    const accept = (more: object) =>
      openBrowser(cloud).client.post('/v1/auth/accept-invitation', {
        token: tokenOf(data.url),
        name: 'Only',
        password: PASSWORD,
        ...more,
      });
    expect((await accept({ email: 'other@example.com' })).error?.details).toEqual([
      { path: 'email', message: 'must be the address that was invited' },
    ]);
    expect((await accept({ role: 'Admin' })).error?.code, 'another role').toBe('VALIDATION_ERROR');
    expect((await accept({ password: 'short' })).error?.code).toBe('VALIDATION_ERROR');
    cloud.clock.advance(3_600_000);
    expect((await accept({})).error?.code).toBe('LINK_EXPIRED');
    const again = await root.client.post('/v1/invitations', { email: viewer.email, role: 'Viewer' });
    expect(again.error?.code).toBe('CONFLICT');
  });

  test('bind to stores that exist, and never an Admin', async () => {
    const store = (await cloud.admin.post('/v1/stores', { name: 'Old town' })).data;
    expect((await invite('Editor', ['store_none'])).error?.code).toBe('STORE_NOT_FOUND');
    expect((await invite('Admin', [store.id])).error?.details).toEqual([
      { path: 'stores', message: 'must be null for an Admin, who is never bound to stores' },
    ]);
    const { data } = await invite('Editor', [store.id]);
    const shown = await openBrowser(cloud).client.post('/v1/auth/invitation', { token: tokenOf(data.url) });
    expect(shown.data.stores).toEqual(['Old town']);
  });
});

describe('people', () => {
  test('are listed and found, with their role', async () => {
    const { data } = await root.client.get('/v1/users?search=VERA');
    expect(data).toMatchObject([
      {
        id: viewer.id,
        name: 'Vera',
        email: 'vera@example.com',
        role: 'Viewer',
        stores: null,
        disabled: false,
      },
    ]);
    const one = await root.client.get(`/v1/users/${viewer.id}`);
    expect(one.data).toEqual(data[0]);
    const none = await root.client.get('/v1/users/usr_none');
    expect(none.error?.code).toBe('USER_NOT_FOUND');
    const stale = await root.client.call(
      'PATCH',
      `/v1/users/${viewer.id}`,
      { name: 'X' },
      { 'if-match': '"old"' },
    );
    expect(stale.error?.code).toBe('PRECONDITION_FAILED');
  });

  test('have a new role, and a name of their choice, from their next request on', async () => {
    const mia = await addPerson(cloud, 'Viewer', { name: 'Mia' });
    expect((await mia.client.post('/v1/stores', { name: 'S' })).error?.code).toBe('INSUFFICIENT_SCOPE');
    const changed = await root.client.patch(`/v1/users/${mia.id}`, { role: 'Editor' });
    expect(changed.data).toMatchObject({ role: 'Editor' });
    expect(await latestEntry()).toMatchObject({
      actor: { type: 'user', id: root.id },
      action: 'user.updated',
      resource: { type: 'user', id: mia.id, name: 'Mia' },
      changes: [{ field: 'role', before: 'Viewer', after: 'Editor' }],
    });
    const store = await mia.client.post('/v1/stores', { name: 'S' });
    expect(store.status).toBe(201);
    expect(await latestEntry(), 'what they do is in the audit log').toMatchObject({
      actor: { type: 'user', id: mia.id, name: 'Mia' },
      action: 'store.created',
      address: '127.0.0.1',
    });
    expect((await mia.client.patch('/v1/me', { name: 'Mia M.' })).data).toMatchObject({ name: 'Mia M.' });
    expect(await latestEntry()).toMatchObject({ action: 'user.updated', resource: { id: mia.id } });
  });

  test('cannot give themselves a role', async () => {
    const editor = await addPerson(cloud, 'Editor');
    const stores = [(await cloud.admin.post('/v1/stores', { name: 'Own' })).data.id];
    await root.client.patch(`/v1/users/${editor.id}`, { stores });
    const more = { role: 'Admin', scope: 'Admin', stores: null };
    const changed = await editor.client.patch('/v1/me', { name: 'E', ...more });
    expect([changed.data.role, changed.data.stores]).toEqual(['Editor', stores]);
    expect(changed.headers.get('placard-ignored-fields')).toBe('role, scope, stores');
    expect((await editor.client.patch('/v1/me', { scope: 'Admin' })).error?.code).toBe('VALIDATION_ERROR');
    expect((await editor.client.patch(`/v1/users/${editor.id}`, { role: 'Admin' })).error?.code).toBe(
      'INSUFFICIENT_SCOPE',
    );
    expect((await editor.client.post('/v1/invitations', { role: 'Admin' })).error?.code).toBe(
      'INSUFFICIENT_SCOPE',
    );
    expect((await editor.client.post('/v1/api-keys', { name: 'k', scope: 'Admin' })).error?.code).toBe(
      'INSUFFICIENT_SCOPE',
    );
    for (const path of ['/v1/auth/update-user', '/v1/auth/sign-up/email', '/v1/auth/admin/set-role']) {
      const { status } = await editor.client.post(path, { role: 'Admin' });
      expect([404, 405], path).toContain(status);
    }
    expect((await editor.client.get('/v1/me')).data).toMatchObject({
      role: 'Editor',
      scope: 'Write',
      stores: [{ id: stores[0] }],
    });
  });

  test('who are disabled or removed are out at their next request, and come back only when let in', async () => {
    const tim = await addPerson(cloud, 'Editor', { email: 'tim@example.com' });
    expect((await root.client.patch(`/v1/users/${tim.id}`, { disabled: true })).data.disabled).toBe(true);
    expect((await tim.client.get('/v1/devices')).error?.code).toBe('UNAUTHORIZED');
    expect((await tim.signIn(tim.email)).error?.code).toBe('SIGN_IN_FAILED');
    await root.client.patch(`/v1/users/${tim.id}`, { disabled: false });
    expect((await tim.client.get('/v1/devices')).status, 'the session has ended').toBe(401);
    expect((await tim.signIn(tim.email)).status).toBe(200);
    expect((await tim.client.get('/v1/devices')).status).toBe(200);
    expect((await root.client.delete(`/v1/users/${tim.id}`)).data).toEqual({ id: tim.id, deleted: true });
    expect((await tim.client.get('/v1/devices')).status).toBe(401);
    expect((await tim.signIn(tim.email)).status).toBe(401);
  });

  test('see where they are signed in, and an Admin ends sessions', async () => {
    const ann = await addPerson(cloud, 'Viewer');
    const phone = openBrowser(cloud, { headers: { 'user-agent': 'Phone' } });
    await phone.signIn(ann.email);
    const own = (await ann.client.get('/v1/me/sessions')).data;
    expect(own).toMatchObject([
      { user_agent: 'Phone', address: '127.0.0.1', is_current: false },
      { is_current: true },
    ]);
    expect((await root.client.get(`/v1/users/${ann.id}/sessions`)).data).toHaveLength(2);
    expect(
      (await viewer.client.delete(`/v1/me/sessions/${own[0].id}`)).error?.code,
      'of another person',
    ).toBe('SESSION_NOT_FOUND');
    expect((await root.client.delete(`/v1/users/${viewer.id}/sessions/${own[0].id}`)).error?.code).toBe(
      'SESSION_NOT_FOUND',
    );
    expect((await ann.client.delete(`/v1/me/sessions/${own[0].id}`)).status).toBe(200);
    expect((await phone.client.get('/v1/me')).status).toBe(401);
    expect((await root.client.delete(`/v1/users/${ann.id}/sessions/${own[1].id}`)).data.ended).toBe(1);
    expect((await ann.client.get('/v1/me')).status).toBe(401);
    await ann.signIn(ann.email);
    expect((await root.client.delete(`/v1/users/${ann.id}/sessions`)).data).toEqual({ id: ann.id, ended: 1 });
    expect((await ann.client.get('/v1/me')).status).toBe(401);
  });

  test('signing up, in and out are in the audit log, and wrong passwords are not', async () => {
    const pia = await addPerson(cloud, 'Viewer', { name: 'Pia' });
    await pia.signIn(pia.email, 'wrong-password');
    await pia.client.post('/v1/auth/sign-out');
    const { data } = await cloud.admin.get(`/v1/audit-log?actor_id=${pia.id}&limit=100`);
    expect(data.map(({ action }: AuditEntry) => action)).toEqual([
      'user.signed_out',
      'user.signed_in',
      'user.signed_up',
    ]);
    expect(data[1]).toMatchObject({
      actor: { type: 'user', name: 'Pia' },
      address: '127.0.0.1',
      changes: [{ field: 'method', after: 'invitation' }],
    });
    expect(JSON.stringify(data)).not.toContain(PASSWORD);
  });
});

test('the last Admin who can sign in cannot be removed, demoted or disabled, by nobody', async () => {
  const changes = [
    ['PATCH', { role: 'Editor' }],
    ['PATCH', { disabled: true }],
    ['DELETE', undefined],
  ] as const;
  for (const [method, body] of changes) {
    for (const who of [root.client, cloud.admin]) {
      const { error } = await who.call(method, `/v1/users/${root.id}`, body);
      expect(error?.code, `${method} ${JSON.stringify(body)}`).toBe('CONFLICT');
    }
  }
  const other = await addPerson(cloud, 'Admin', { email: 'other-admin@example.com' });
  for (const [method, body] of changes) {
    const { error } = await other.client.call(method, `/v1/users/${other.id}`, body);
    expect(error?.message, 'themselves').toContain('ask another Admin');
  }
  // Both at the same time: one of them stays.
  const [a, b] = await Promise.all([
    other.client.patch(`/v1/users/${root.id}`, { role: 'Viewer' }),
    root.client.patch(`/v1/users/${other.id}`, { role: 'Viewer' }),
  ]);
  expect([a, b].filter(({ status }) => status === 200)).toHaveLength(1);
  const admins = (await cloud.admin.get('/v1/users?limit=100')).data.filter(
    ({ role }: { role: string }) => role === 'Admin',
  );
  expect(admins).toHaveLength(1);
});

test('keys of scope Admin manage people; a key is nobody who has an account', async () => {
  expect((await cloud.admin.get('/v1/users')).status).toBe(200);
  const key = cloud.clientFor(await cloud.createKey('Read'));
  expect((await key.get('/v1/me')).data).toMatchObject({
    type: 'api_key',
    scope: 'Read',
    role: null,
    stores: null,
  });
  expect((await key.patch('/v1/me', { name: 'K' })).error?.code).toBe('SESSION_REQUIRED');
  expect((await key.get('/v1/users')).error?.code).toBe('INSUFFICIENT_SCOPE');
});

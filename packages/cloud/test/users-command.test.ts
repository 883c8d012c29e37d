import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../src/system-clock.ts';
import { addPerson, openBrowser, PASSWORD, tokenOf } from './support/browser.ts';
import { runCommand } from './support/command-line.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

let cloud: TestCloud;
beforeAll(async () => {
  // The commands have the time of the machine.
  cloud = await startTestCloud({ clock: systemClock });
});
afterAll(() => cloud.close());

const users = (...args: string[]) => runCommand('users', ...args, ...cloud.flags);

test('lets people in, and out, while the cloud runs', async () => {
  const invited = await users(
    'invite',
    '--email',
    'Ada@example.com',
    '--public-url',
    'https://signage.example.com/',
  );
  expect(invited).toMatchObject({ code: 0, stderr: '' });
  expect(invited.stdout).toMatch(/^https:\/\/signage\.example\.com\/invitation#[\w-]{40}\n$/);
  const ada = openBrowser(cloud);
  const accepted = await ada.client.post('/v1/auth/accept-invitation', {
    token: tokenOf(invited.stdout.trim()),
    name: 'Ada',
    password: PASSWORD,
  });
  expect(accepted.status).toBe(201);
  expect((await ada.client.get('/v1/me')).data).toMatchObject({ role: 'Admin', email: 'ada@example.com' });
  expect((await users('list')).stdout).toMatch(/^ada@example\.com {2}Admin {3}Ada {2}\(signed in 20/);

  const reset = await users('reset-password', 'ADA@example.com');
  const token = tokenOf(reset.stdout.trim());
  const chosen = await ada.client.post('/v1/auth/reset-password', { token, password: 'a new long password' });
  expect(chosen.status).toBe(200);
  expect((await ada.client.get('/v1/me')).status).toBe(401);
  expect((await ada.signIn('ada@example.com', 'a new long password')).status).toBe(200);

  expect((await users('sign-in-link', 'ada@example.com')).code).toBe(0);
  expect((await users('disable', 'ada@example.com')).code).toBe(0);
  expect((await ada.client.get('/v1/me')).status).toBe(401);
  expect((await users('list')).stdout).toContain(', disabled)');
  expect((await users('enable', 'ada@example.com')).code).toBe(0);
  expect((await users('remove-second-factor', 'ada@example.com')).code).toBe(0);
  expect((await ada.signIn('ada@example.com', 'a new long password')).status).toBe(200);

  const { data } = await cloud.admin.get('/v1/audit-log?limit=100');
  const fromHere = data.filter(({ actor }: { actor: { type: string } }) => actor.type === 'command_line');
  expect(fromHere.map(({ action }: { action: string }) => action)).toEqual([
    'user.second_factor_removed',
    'user.updated',
    'user.updated',
    'user.sign_in_link_created',
    'user.reset_link_created',
    'invitation.created',
  ]);
});

test('says what is wrong', async () => {
  const person = await addPerson(cloud, 'Viewer', { email: 'vera@example.com' });
  for (const [args, message] of [
    [
      ['reset-password', 'nobody@example.com'],
      /Nobody has the e-mail address nobody@example\.com.*users list/,
    ],
    [['sign-in-link', 'nobody@example.com'], /Nobody has the e-mail address nobody@example\.com/],
    [['invite', '--email', person.email], /already has an account.*users reset-password/],
    [['invite', '--role', 'Viewer', '--store', 'store_none'], /There is no store store_none/],
    [['invite', '--store', 'store_none'], /An Admin is never bound to stores/],
    [['invite', '--role', 'God'], /Viewer, Editor, Admin/],
  ] as const) {
    const { code, stderr } = await users(...args);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  }
});

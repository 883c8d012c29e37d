import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthenticator } from './support/authenticator.ts';
import { addPerson, openBrowser, PASSWORD } from './support/browser.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { totpCode } from './support/totp.ts';

const MINUTE_MS = 60_000;
const PUBLIC_URL = 'http://localhost:8787';

let cloud: TestCloud;
beforeAll(async () => {
  // Passkeys belong to a name, not to an address.
  cloud = await startTestCloud({ publicUrl: PUBLIC_URL });
});
afterAll(() => cloud.close());

const sendCode = ({ client }: ReturnType<typeof openBrowser>, code: string, isBackupCode = false) =>
  client.post('/v1/auth/second-factor', { code, is_backup_code: isBackupCode });

const signInWith = async (authenticator: ReturnType<typeof createAuthenticator>) => {
  const browser = openBrowser(cloud);
  const options = (await browser.client.post('/v1/auth/passkey/challenge')).data;
  expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
  const answer = await browser.client.post('/v1/auth/passkey', { response: authenticator.get(options) });
  return { browser, answer };
};

describe('a code of the phone', () => {
  test('is needed once a first one was right, and after the password', async () => {
    const ada = await addPerson(cloud, 'Viewer');
    const start = (password: string) => ada.client.post('/v1/me/second-factor', { password });
    expect((await start('wrong-password')).error?.code).toBe('SIGN_IN_FAILED');
    const { uri, backup_codes: backupCodes } = (await start(PASSWORD)).data;
    expect(uri).toMatch(/^otpauth:\/\/totp\/Placard/);
    expect(backupCodes).toHaveLength(10);
    const before = openBrowser(cloud);
    expect((await before.signIn(ada.email)).data.second_factor_needed, 'not confirmed yet').toBe(false);
    const confirm = (code: string) => ada.client.post('/v1/me/second-factor/confirm', { code });
    expect((await confirm('000000')).error?.code).toBe('SIGN_IN_FAILED');
    expect((await confirm(totpCode(uri))).data).toEqual({ id: ada.id });
    expect((await ada.client.get('/v1/me')).data.has_second_factor).toBe(true);

    const browser = openBrowser(cloud);
    expect((await browser.signIn(ada.email)).data).toEqual({ second_factor_needed: true });
    expect((await browser.client.get('/v1/me')).status, 'with the password alone').toBe(401);
    expect((await sendCode(browser, '000000')).error?.code).toBe('SIGN_IN_FAILED');
    expect((await sendCode(openBrowser(cloud), totpCode(uri))).error?.code, 'another browser').toBe(
      'SIGN_IN_FAILED',
    );
    expect((await sendCode(browser, totpCode(uri))).data).toEqual({ second_factor_needed: false });
    expect((await browser.client.get('/v1/me')).status).toBe(200);

    const lost = openBrowser(cloud);
    await lost.signIn(ada.email);
    expect((await sendCode(lost, backupCodes[0], true)).status).toBe(200);
    await lost.signIn(ada.email);
    expect((await sendCode(lost, backupCodes[0], true)).error?.code, 'the same one again').toBe(
      'SIGN_IN_FAILED',
    );
  });

  test('cannot be guessed: the account is locked for 15 minutes', async () => {
    const bob = await addPerson(cloud, 'Viewer');
    const { uri } = (await bob.client.post('/v1/me/second-factor', { password: PASSWORD })).data;
    await bob.client.post('/v1/me/second-factor/confirm', { code: totpCode(uri) });
    const attacker = openBrowser(cloud);
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 14; n++) {
      if (n % 4 === 0) {
        await attacker.signIn(bob.email);
      }
      codes.push((await sendCode(attacker, String(n).padStart(6, '0'))).error?.code);
    }
    expect(codes.at(0)).toBe('SIGN_IN_FAILED');
    expect(codes.at(-1)).toBe('RATE_LIMITED');
    await attacker.signIn(bob.email);
    expect((await sendCode(attacker, totpCode(uri))).error?.code, 'also a right one').toBe('RATE_LIMITED');
    cloud.clock.advance(16 * MINUTE_MS);
    await attacker.signIn(bob.email);
    expect((await sendCode(attacker, totpCode(uri))).status).toBe(200);
  });

  test('is no longer needed when the person, or an Admin for them, says so', async () => {
    const cid = await addPerson(cloud, 'Viewer');
    const add = async () => {
      const { uri } = (await cid.client.post('/v1/me/second-factor', { password: PASSWORD })).data;
      await cid.client.post('/v1/me/second-factor/confirm', { code: totpCode(uri) });
    };
    await add();
    const remove = (password: string) => cid.client.post('/v1/me/second-factor/remove', { password });
    expect((await remove('wrong-password')).error?.code).toBe('SIGN_IN_FAILED');
    expect((await remove(PASSWORD)).status).toBe(200);
    expect((await openBrowser(cloud).signIn(cid.email)).data.second_factor_needed).toBe(false);
    await add();
    const removed = await cloud.admin.delete(`/v1/users/${cid.id}/second-factor`);
    expect(removed.data.has_second_factor).toBe(false);
    expect((await openBrowser(cloud).signIn(cid.email)).data.second_factor_needed).toBe(false);
    const { data } = await cloud.admin.get(
      `/v1/audit-log?resource_id=${cid.id}&action=user.second_factor_removed`,
    );
    expect(data.map(({ actor }: { actor: { type: string } }) => actor.type)).toEqual(['api_key', 'user']);
  });
});

describe('a passkey', () => {
  test('signs a person in, until it is removed', async () => {
    const dan = await addPerson(cloud, 'Editor', { name: 'Dan' });
    const authenticator = createAuthenticator(PUBLIC_URL);
    expect((await signInWith(authenticator)).answer.error?.code, 'one that nobody knows').toBe(
      'SIGN_IN_FAILED',
    );
    const start = (password: string) => dan.client.post('/v1/me/passkeys/challenge', { password });
    expect((await start('wrong-password')).error?.code).toBe('SIGN_IN_FAILED');
    const options = (await start(PASSWORD)).data;
    const added = await dan.client.post('/v1/me/passkeys', {
      name: 'Dan’s phone',
      response: authenticator.create(options),
    });
    expect(added.data).toMatchObject({ name: 'Dan’s phone', is_synced: false });
    expect((await dan.client.get('/v1/me/passkeys')).data).toEqual([added.data]);

    const { browser, answer } = await signInWith(authenticator);
    expect(answer.data).toEqual({ second_factor_needed: false });
    expect((await browser.client.get('/v1/me')).data).toMatchObject({ id: dan.id, role: 'Editor' });
    await cloud.admin.patch(`/v1/users/${dan.id}`, { disabled: true });
    expect((await signInWith(authenticator)).answer.error?.code, 'of a disabled person').toBe(
      'SIGN_IN_FAILED',
    );
    await cloud.admin.patch(`/v1/users/${dan.id}`, { disabled: false });
    await dan.signIn(dan.email);
    const other = await addPerson(cloud, 'Admin');
    expect((await other.client.delete(`/v1/me/passkeys/${added.data.id}`)).error?.code).toBe(
      'PASSKEY_NOT_FOUND',
    );
    expect((await dan.client.delete(`/v1/me/passkeys/${added.data.id}`)).status).toBe(200);
    expect((await signInWith(authenticator)).answer.error?.code).toBe('SIGN_IN_FAILED');
    const { data } = await cloud.admin.get(`/v1/audit-log?actor_id=${dan.id}&limit=100`);
    expect(data.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['user.passkey_added', 'user.passkey_removed', 'user.signed_in']),
    );
  });

  test('must come from a page of this cloud, once, and from a device that asks who holds it', async () => {
    const eva = await addPerson(cloud, 'Viewer');
    const add = async (authenticator: ReturnType<typeof createAuthenticator>) => {
      const options = (await eva.client.post('/v1/me/passkeys/challenge', { password: PASSWORD })).data;
      const response = authenticator.create(options);
      return { response, answer: await eva.client.post('/v1/me/passkeys', { name: 'K', response }) };
    };
    const elsewhere = createAuthenticator('http://evil.example.com');
    expect((await add(elsewhere)).answer.error?.code).toBe('SIGN_IN_FAILED');
    const careless = createAuthenticator(PUBLIC_URL, { isHolderVerified: false });
    expect((await add(careless)).answer.error?.code).toBe('SIGN_IN_FAILED');
    const good = await add(createAuthenticator(PUBLIC_URL));
    expect(good.answer.status).toBe(201);
    const again = await eva.client.post('/v1/me/passkeys', { name: 'K', response: good.response });
    expect(again.error?.code, 'its challenge was used').toBe('SIGN_IN_FAILED');
  });

  test('is not offered where browsers would refuse it', async () => {
    expect((await cloud.admin.get('/v1/auth/methods')).data).toEqual({
      password: true,
      passkeys: true,
      company: null,
    });
    const byAddress = await startTestCloud();
    expect((await byAddress.admin.get('/v1/auth/methods')).data.passkeys).toBe(false);
    await byAddress.close();
  });
});

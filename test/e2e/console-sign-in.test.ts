import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startOidcProvider } from '../../packages/cloud/test/support/oidc-provider.ts';
import type { OidcProvider } from '../../packages/cloud/test/support/oidc-provider.ts';
import { freePort } from '../support/free-port.ts';
import { startProgram } from '../support/program.ts';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { PASSWORD, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

const CLOUD = 'packages/cloud/dist/program/main.js';
const HOSTILE = '<img src=x onerror=alert(1)>';
const CLIENT = { id: 'placard', secret: 'secret-of-the-client' };

let provider: OidcProvider;
let rig: ConsoleRig;
beforeAll(async () => {
  provider = await startOidcProvider(CLIENT);
  const port = await freePort();
  rig = await startConsoleRig({
    port,
    // Passkeys are for names, not for addresses of the network.
    publicUrl: `http://localhost:${port}`,
    company: {
      name: 'Example Ltd',
      issuer: provider.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      role: null,
    },
  });
}, TIMEOUT_MS);
afterAll(async () => {
  await rig.close();
  await provider.close();
});

/** Gives the browser a fingerprint reader that always says yes. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  onTestFinished(async () => void (await session.send('WebAuthn.disable')));
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** A link of the command line, as an address of this cloud. */
async function makeSignInLink(email: string): Promise<string> {
  const command = ['users', 'sign-in-link', email, '--data', rig.dataDir, '--public-url', rig.url];
  const program = startProgram([CLOUD, ...command]);
  expect((await program.ended).code, program.output().stderr).toBe(0);
  return program.output().stdout.trim().slice(rig.url.length);
}

test('a person makes a passkey and signs in with it, without e-mail address and password', async () => {
  const person = await rig.addPerson('Viewer');
  const { page, complaints } = await rig.openAs(person, '/settings/account');
  await addAuthenticator(page);
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) });
  await panel.getByLabel('Name of the passkey').fill(HOSTILE);
  await panel.getByLabel('Current password').fill(PASSWORD);
  await panel.getByRole('button', { name: 'Add a passkey' }).click();
  await panel.getByRole('listitem').filter({ hasText: HOSTILE }).waitFor();
  expect(await page.locator('img[src=x]').count(), 'a name is text').toBe(0);

  await page.context().clearCookies();
  await page.goto(`${rig.url}/settings/account`);
  await page.waitForURL(/\/sign-in\?to=/);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.waitForURL(/\/settings\/account$/);
  await page.getByText(person.email).first().waitFor();

  await panel.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog', { name: `Remove the passkey “${HOSTILE}”?` }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await panel.getByText('No passkey').waitFor();
  expect(complaints).toEqual([]);
  // The browser still has it; the cloud does not let it in.
  await page.context().clearCookies();
  await page.goto(`${rig.url}/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('alert').waitFor();
});

test('a browser without a passkey stays at the page, and a password still signs in', async () => {
  const { email } = await rig.addPerson('Viewer');
  const { page } = await rig.openAs('nobody', '/sign-in');
  await addAuthenticator(page);
  const passkey = page.getByRole('button', { name: 'Sign in with a passkey' });
  await passkey.click();
  await expect.poll(() => passkey.isEnabled(), { timeout: TIMEOUT_MS }).toBe(true);
  expect(new URL(page.url()).pathname).toBe('/sign-in');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/devices$/);
});

test('people sign in with the account of their company, if they are invited', async () => {
  provider.person = { sub: 'p-1', email: 'ada@company.example', email_verified: true, name: 'Ada' };
  const { page } = await rig.openAs('nobody', '/sign-in');
  await page.getByRole('button', { name: 'Sign in with Example Ltd' }).click();
  await page.waitForURL(/\/sign-in#company-refused$/);
  await page.getByText('The company account was not let in.').waitFor();
  await rig.admin.people.createInvitation({ role: 'Editor', email: 'ada@company.example' });
  await page.getByRole('button', { name: 'Sign in with Example Ltd' }).click();
  await page.waitForURL(/\/devices$/);
  expect(await (await page.request.get(`${rig.url}/v1/me`)).text()).toContain('"role":"Editor"');
});

test('the sign-in page is accessible with all ways to sign in', async () => {
  const { page } = await rig.openAs('nobody', '/sign-in', { viewport: { width: 390, height: 844 } });
  for (const look of looks(2)) {
    await chooseLook(page, look);
    // Another address: the same one with another fragment is not loaded again.
    await page.goto(`${rig.url}/sign-in?to=%2Fdevices&${look.language}#company-refused`);
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: /Example Ltd/ }).waitFor();
    expect(await findAccessibilityProblems(page), look.language).toEqual([]);
  }
});

test('a link signs a person in with one click, once', async () => {
  const { email } = await rig.addPerson('Editor');
  const link = await makeSignInLink(email);
  const { page, complaints } = await rig.openAs('nobody', link);
  await page.getByText(email).waitFor();
  const button = page.getByRole('button', { name: /^Sign in as Editor \d+$/ });
  expect(await page.locator(':focus').textContent()).toMatch(/^Sign in as Editor/);
  expect((await page.request.get(`${rig.url}/v1/me`)).status(), 'looking signs nobody in').toBe(401);
  await button.click();
  await page.waitForURL(`${rig.url}/devices`);
  expect(await (await page.request.get(`${rig.url}/v1/me`)).text()).toContain(email);
  expect(complaints).toEqual([]);

  await page.goto(rig.url + link);
  await page.getByRole('alert').getByText('This link was used or has expired').waitFor();
  // Another link in the same tab.
  await page.evaluate(`location.href = ${JSON.stringify(await makeSignInLink(email))}`);
  await button.waitFor();
  await page.evaluate(`location.hash = 'used'`);
  await page.getByRole('link', { name: 'To the devices' }).click();
  await page.waitForURL(`${rig.url}/devices`);
});

test('the page of a link is accessible, whether it works or not', async () => {
  const { email } = await rig.addPerson('Viewer');
  const { page } = await rig.openAs('nobody', '/sign-in', { viewport: { width: 390, height: 844 } });
  for (const look of looks(4)) {
    await chooseLook(page, look);
    await page.goto(`${rig.url}/sign-in-link?${look.language}#used`);
    await page.getByRole('alert').waitFor();
    expect(await findAccessibilityProblems(page), `${look.language}, used`).toEqual([]);
    await page.goto(rig.url + (await makeSignInLink(email)));
    await page.getByText(email).waitFor();
    expect(await findAccessibilityProblems(page), look.language).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  }
});

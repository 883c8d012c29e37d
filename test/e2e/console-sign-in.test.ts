import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startOidcProvider } from '../../packages/cloud/test/support/oidc-provider.ts';
import type { OidcProvider } from '../../packages/cloud/test/support/oidc-provider.ts';
import { freePort } from '../support/free-port.ts';
import { chooseLook, findAccessibilityProblems, looks } from './console-looks.ts';
import { PASSWORD, startConsoleRig, TIMEOUT_MS } from './console-rig.ts';
import type { ConsoleRig } from './console-rig.ts';

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

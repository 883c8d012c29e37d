import type { Page } from 'playwright';
import { startMailServer } from '../../../packages/cloud/test/support/smtp-server.ts';
import { startConsoleRig } from '../../e2e/console-rig.ts';
import type { ConsoleRig } from '../../e2e/console-rig.ts';
import { NOTHING, seedOrganization } from './organization.ts';
import type { Seeded } from './organization.ts';
import type { ConsoleScene } from './scenes.ts';

/** Calls `use` with a cloud and a browser, for an organization that has nothing yet or one with sixty screens. */
export async function withOrganization(
  isEmpty: boolean,
  use: (rig: ConsoleRig, seeded: Seeded) => Promise<void>,
) {
  let aheadMs = 0;
  const mails = await startMailServer();
  const rig = await startConsoleRig({
    mailServer: { ...mails.settings, from: 'placard@kaufhaus-sonnenschein.example' },
    pairingLimits: { startsPerAddress: 1000 },
    clock: {
      nowMs: () => Date.now() + aheadMs,
      setTimer(delayMs, run) {
        const timer = setTimeout(run, delayMs);
        return () => clearTimeout(timer);
      },
    },
  });
  try {
    await use(rig, isEmpty ? NOTHING : await seedOrganization(rig, (ms) => (aheadMs = ms)));
  } finally {
    await rig.close();
    await mails.close();
  }
}

/** Opens the page of a scene, signed in as the scene wants it. */
export async function showScene(
  page: Page,
  { rig, scene, path }: { rig: ConsoleRig; scene: ConsoleScene; path: string },
) {
  // What another scene has typed is not part of this one; a page that is none of the cloud has no storage.
  await page.evaluate('sessionStorage.clear()').catch(() => {});
  const context = page.context();
  await context.clearCookies();
  if (scene.who !== 'nobody') {
    const { session } = await rig.findPerson(scene.who);
    await context.addCookies([{ ...session, url: rig.url, httpOnly: true, sameSite: 'Strict' }]);
  }
  // A page that differs in what follows # alone is not loaded anew.
  await page.goto('about:blank');
  await page.goto(`${rig.url}${path}`);
  await page
    .locator(scene.ready ?? 'h1')
    .first()
    .waitFor();
  await settle(page);
  await scene.act?.(page);
}

/** Waits until nothing has changed for a while, and everything has been drawn. */
export async function settle(page: Page): Promise<void> {
  await page.locator('[class*=animate-pulse]').first().waitFor({ state: 'detached' });
  await page.evaluate(`new Promise((resolve) => {
    const QUIET_MS = 300;
    const LONGEST_MS = 5000;
    const done = () => {
      observer.disconnect();
      resolve(document.fonts.ready.then(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))).then(() => null));
    };
    let quiet = setTimeout(done, QUIET_MS);
    const observer = new MutationObserver(() => {
      clearTimeout(quiet);
      quiet = setTimeout(done, QUIET_MS);
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    setTimeout(done, LONGEST_MS);
  })`);
}

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@placard/client';
import { startCloud } from '@placard/cloud';
import { chromium } from 'playwright';
import type { BrowserContextOptions, Page, Response } from 'playwright';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { putEmptyDatabase } from '../../packages/cloud/test/support/empty-database.ts';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';

/** Starting a browser and a cloud takes long on two busy cores. */
export const TIMEOUT_MS = 90_000;
export const DESK = { width: 1440, height: 900 };
export const PASSWORD = 'correct horse battery staple';
const ADMIN_KEY = 'plk_console-test-admin-key-0123456789abcdef';

/** What a screen reports as played; a play is of 10 seconds. */
interface ReportedPlay {
  content_id: string;
  at_ms: number;
  outcome?: 'completed' | 'failed';
}

type Role = 'Viewer' | 'Editor' | 'Admin';

/** A cookie. */
interface Session {
  name: string;
  value: string;
}

interface Person {
  email: string;
  session: Session;
}

interface Opened {
  page: Page;
  /** Errors of scripts, and what the content security policy has refused. */
  complaints: string[];
}

/** A cloud, and browsers of people who use its console. */
export async function startConsoleRig(
  more: Partial<
    Pick<
      Parameters<typeof startCloud>[0],
      'clock' | 'company' | 'mailServer' | 'pairingLimits' | 'port' | 'publicUrl' | 'renditionLimits'
    >
  > = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'placard-console-'));
  await putEmptyDatabase(folder);
  const cloud = await startCloud({
    host: '127.0.0.1',
    port: 0,
    dataDir: folder,
    adminKey: ADMIN_KEY,
    logLevel: 'fatal',
    passwordCostLog2: 8,
    ...more,
  });
  const bundled = await unpackBundledBrowser(bundledBrowserCacheDir());
  const browser = await chromium.launch({
    executablePath: bundled.executable,
    args: ['--no-sandbox', '--headless'],
    env: { ...process.env, ...bundled.env },
  });
  const admin = createClient({ server: cloud.url, apiKey: ADMIN_KEY });
  const url = more.publicUrl ?? cloud.url;
  let people = 0;

  const post = async (path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${cloud.url}/v1/player/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return z.object({ data: z.unknown() }).parse(await response.json()).data;
  };

  /** Sends a report with the token of a screen. */
  const report = async (token: string, path: string, body: unknown): Promise<unknown> => {
    const response = await fetch(`${cloud.url}/v1/player/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${path} refused: ${response.status} ${await response.text()}`);
    }
    return response.json();
  };

  /** A browser with nothing in it. */
  const startBrowser = async (options: BrowserContextOptions = {}): Promise<Opened> => {
    const context = await browser.newContext({
      viewport: DESK,
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    });
    // As on pages over plain http, which is how most people reach a cloud in their own network.
    await context.addInitScript('delete Crypto.prototype.randomUUID; delete Crypto.prototype.subtle;');
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) {
        complaints.push(message.text());
      }
    });
    return { page, complaints };
  };

  /** One that is closed at the end of the test. */
  const openBrowser = async (options: BrowserContextOptions = {}): Promise<Opened> => {
    const opened = await startBrowser(options);
    onTestFinished(() => opened.page.context().close());
    return opened;
  };

  /** A browser takes as much to start as ten pages that it shows, so tests have one after the other the same one. */
  let shared: Opened | undefined;
  const openShared = async ({ viewport }: { viewport: typeof DESK }): Promise<Opened> => {
    if (shared === undefined) {
      shared = await startBrowser({ viewport });
      return shared;
    }
    const { page, complaints } = shared;
    // A request of the test before may still be on its way.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate(`localStorage.clear(); sessionStorage.clear()`);
    // The page of the test before complains no more.
    await page.goto('about:blank');
    await page.emulateMedia({ colorScheme: null });
    await page.setViewportSize(viewport);
    complaints.length = 0;
    return shared;
  };

  /** A person who has signed up by an invitation. */
  const addPerson = async (role: Role, stores?: string[]): Promise<Person> => {
    const email = `person-${++people}@example.com`;
    const invitation = await admin.people.createInvitation({ role, email, ...(stores && { stores }) });
    const session = await sendForSession('accept-invitation', {
      token: new URL(invitation.url).hash.slice(1),
      name: `${role} ${people}`,
      password: PASSWORD,
    });
    return { email, session };
  };

  /** The session that an answer to this request begins. */
  const sendForSession = async (path: string, body: unknown, headers = {}): Promise<Session> => {
    const response = await fetch(`${url}/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(response.headers.getSetCookie()[0] ?? '') ?? [];
    if (name === undefined || value === undefined) {
      throw new Error(`no session from ${path}: ${response.status} ${await response.text()}`);
    }
    return { name, value };
  };

  /** Those whom all tests of a file share. */
  const usual = new Map<Role, Person>();
  const findPerson = async (role: Role): Promise<Person> => {
    const person = usual.get(role) ?? (await addPerson(role));
    usual.set(role, person);
    return person;
  };

  return {
    url,
    /** The data folder of the cloud. */
    dataDir: folder,
    admin,
    openBrowser,
    startBrowser,
    findPerson,
    addPerson,
    report,

    /** Signs in another browser of the person, which calls itself `userAgent`. */
    signInElsewhere: ({ email }: Person, userAgent: string): Promise<Session> =>
      sendForSession('sign-in', { email, password: PASSWORD }, { 'user-agent': userAgent }),

    /** The status of the answer to a request with this session. */
    askWith: async ({ name, value }: Session): Promise<number> =>
      (await fetch(`${url}/v1/me`, { headers: { cookie: `${name}=${value}` } })).status,

    /**
     * A page of the console in a browser in which nobody is signed in, or this person, or the one with this role whom all tests of
     * the file share. With options other than the viewport the browser is one of its own.
     */
    async openAs(
      who: 'nobody' | Role | Person,
      path: string,
      {
        viewport = DESK,
        ...options
      }: Omit<BrowserContextOptions, 'viewport'> & { viewport?: typeof DESK } = {},
    ): Promise<Opened> {
      const opened = await (Object.keys(options).length > 0
        ? openBrowser({ viewport, ...options })
        : openShared({ viewport }));
      const context = opened.page.context();
      await context.clearCookies();
      if (who !== 'nobody') {
        const { session } = typeof who === 'string' ? await findPerson(who) : who;
        await context.addCookies([{ ...session, url, httpOnly: true, sameSite: 'Strict' }]);
      }
      await opened.page.goto(`${url}${path}`);
      return opened;
    },

    /** Starts a pairing session as a player does. */
    async startPairing(
      serial: string,
      about: object = {},
    ): Promise<{ code: string; takeToken: () => Promise<string> }> {
      const { code, pairing_id, poll_token } = z
        .object({ code: z.string(), pairing_id: z.string(), poll_token: z.string() })
        .parse(
          await post('pairing', {
            serial,
            platform: 'linux',
            player_version: '0.1.0',
            hostname: serial,
            ...about,
          }),
        );
      const takeToken = async () =>
        z
          .object({ device_token: z.string() })
          .parse(await post(`pairing/${pairing_id}/token`, { poll_token })).device_token;
      return { code, takeToken };
    },

    /** Reports as a screen does, so that it is online. */
    sendHeartbeat: (token: string, faults: readonly string[] = []) =>
      report(token, 'heartbeats', {
        samples: [],
        state: {
          player_version: '0.1.0',
          shell: 'headless',
          uptime_seconds: 60,
          applied_manifest_revision: null,
          current: null,
          storage: { cache_bytes: 0, free_bytes: 1_000_000, assets_held: 0, assets_missing: 0 },
          faults: faults.map((code) => ({ code, since: new Date().toISOString() })),
        },
      }),

    /** Reports what a screen has played. */
    sendPlays: (token: string, plays: readonly ReportedPlay[]) =>
      report(token, 'plays', {
        plays: plays.map(({ content_id, at_ms: atMs, outcome = 'completed' }) => ({
          id: `play_${randomUUID().replaceAll('-', '').slice(0, 26)}`,
          content_id,
          playlist_id: null,
          schedule_id: null,
          rule_id: null,
          started_at: new Date(atMs).toISOString(),
          ended_at: new Date(atMs + 10_000).toISOString(),
          duration_ms: 10_000,
          outcome,
          reason: null,
        })),
      }),

    async close(): Promise<void> {
      await browser.close();
      await cloud.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type ConsoleRig = Awaited<ReturnType<typeof startConsoleRig>>;

/**
 * Does on the page what stores something by such a request, and waits until the cloud has done it. To ask the cloud again and again
 * takes too many requests: a key may send 30 a minute.
 */
export async function untilStored(
  page: Page,
  method: 'DELETE' | 'PATCH' | 'POST',
  path: string,
  act: () => Promise<void>,
): Promise<void> {
  const isAnswer = (response: Response) =>
    response.ok() &&
    response.request().method() === method &&
    new URL(response.url()).pathname.startsWith(path);
  await Promise.all([page.waitForResponse(isAnswer), act()]);
}

/**
 * Goes to another path of the console as a link in it does, without loading the page again, and waits for what is shown there: an
 * element that was not on the page before.
 */
export async function moveTo(page: Page, path: string, shown: string): Promise<void> {
  await page.evaluate(`
    for (const each of document.querySelectorAll(${JSON.stringify(shown)})) {
      each.setAttribute('data-before', '');
    }
    history.pushState(null, '', ${JSON.stringify(path)})`);
  await page.locator(`:is(${shown}):not([data-before])`).first().waitFor();
}

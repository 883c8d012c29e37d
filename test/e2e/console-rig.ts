import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@placard/client';
import { startCloud } from '@placard/cloud';
import { chromium } from 'playwright';
import type { BrowserContextOptions, Page } from 'playwright';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { bundledBrowserCacheDir, unpackBundledBrowser } from '../../src/shells/chromium/bundled-browser.ts';

/** Starting a browser and a cloud takes long on two busy cores. */
export const TIMEOUT_MS = 90_000;
export const DESK = { width: 1440, height: 900 };
export const PASSWORD = 'correct horse battery staple';
const ADMIN_KEY = 'plk_console-test-admin-key-0123456789abcdef';
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const findings = z.array(
  z.object({ id: z.string(), impact: z.string().nullable(), where: z.array(z.string()) }),
);

/** What a screen reports as played; a play is of 10 seconds. */
interface ReportedPlay {
  content_id: string;
  at_ms: number;
  outcome?: 'completed' | 'failed';
}

/** A cloud, and browsers of people who use its console. */
export async function startConsoleRig(
  more: Partial<Pick<Parameters<typeof startCloud>[0], 'company' | 'port' | 'publicUrl'>> = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'placard-console-'));
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
  const report = async (token: string, path: string, body: unknown): Promise<void> => {
    const response = await fetch(`${cloud.url}/v1/player/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (!response.ok) {
      throw new Error(`${path} refused: ${response.status} ${await response.text()}`);
    }
  };

  const openBrowser = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: DESK, locale: 'en-US', ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    /** Errors of scripts, and what the content security policy has refused. */
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) {
        complaints.push(message.text());
      }
    });
    return { page, complaints };
  };

  return {
    url: more.publicUrl ?? cloud.url,
    admin,
    openBrowser,

    /** A browser in which a person with this role is signed in, at the console's first page. */
    async signIn(
      role: 'Viewer' | 'Editor' | 'Admin',
      { stores, ...options }: BrowserContextOptions & { stores?: string[] } = {},
    ) {
      const email = `person-${++people}@example.com`;
      const { url } = await admin.people.createInvitation({ role, email, ...(stores && { stores }) });
      const opened = await openBrowser(options);
      await opened.page.goto(url);
      await opened.page.locator('input[name=name]').fill(`${role} ${people}`);
      await opened.page.locator('input[name=password]').fill(PASSWORD);
      await opened.page.locator('button[type=submit]').click();
      await opened.page.waitForURL(/\/devices$/);
      return { ...opened, email };
    },

    /** Starts a pairing session as a player does. */
    async startPairing(serial: string): Promise<{ code: string; takeToken: () => Promise<string> }> {
      const { code, pairing_id, poll_token } = z
        .object({ code: z.string(), pairing_id: z.string(), poll_token: z.string() })
        .parse(
          await post('pairing', { serial, platform: 'linux', player_version: '0.1.0', hostname: serial }),
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

const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja'];
interface Look {
  language: string;
  colorScheme: 'light' | 'dark';
}

/**
 * The looks in which an area of the console is checked: one language in light colours and the next one in dark ones. Areas that
 * are tested with five numbers in turn cover all ten; `npm run test:accessibility` tries every area in each.
 */
export function looks(turn: number): Look[] {
  const lookOf = (index: number, colorScheme: Look['colorScheme']): Look => ({
    language: LANGUAGES[index % LANGUAGES.length]!,
    colorScheme,
  });
  return process.env['PLACARD_ALL_LOOKS'] === undefined
    ? [lookOf(turn, 'light'), lookOf(turn + 1, 'dark')]
    : LANGUAGES.flatMap((_, index) => [lookOf(index, 'light'), lookOf(index, 'dark')]);
}

/** What the next page that is loaded looks like. */
export async function chooseLook(page: Page, { language, colorScheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.evaluate((chosen) => localStorage.setItem('placard.language', chosen), language);
}

/** What axe calls serious or critical on the page as it is. */
export async function findAccessibilityProblems(page: Page): Promise<string[]> {
  // By the debugging protocol, which the content security policy does not concern.
  await page.evaluate(await readAxe());
  const found = findings.parse(
    await page.evaluate(`axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, impact, nodes }) =>
      ({ id, impact, where: nodes.map(({ html }) => html.slice(0, 200)) })))`),
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, where }) => `${id}: ${where.join(' | ')}`);
}

let axe: string | undefined;
async function readAxe(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  axe ??= await readFile(AXE, 'utf8');
  return axe;
}

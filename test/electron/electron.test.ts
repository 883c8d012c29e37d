import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { _electron } from 'playwright';
import type { ElectronApplication, Page } from 'playwright';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { findElectronBinary } from '../../src/shells/electron/electron-binary.ts';
import { waitUntil } from '../support/wait-until.ts';

const MAIN = resolve(import.meta.dirname, '../../dist/shells/electron/main.js');
const binary = findElectronBinary(process.env) ?? '';
/** Chromium cannot use its sandbox as root. */
const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

let data: string;

beforeEach(() => {
  data = tempDir();
});

test('the smoke test passes in the real Electron', async () => {
  const { stdout } = await promisify(execFile)(binary, [...asRoot, MAIN, '--data', data, '--smoke-test']);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, shell: 'electron' });
});

describe('the player in the real Electron', () => {
  let app: ElectronApplication;
  let page: Page;

  beforeEach(async () => {
    app = await _electron.launch({
      executablePath: binary,
      args: [...asRoot, MAIN, '--data', data, '--server', 'http://127.0.0.1:9'],
    });
    page = await app.firstWindow();
    await page.waitForURL('http://127.0.0.1:*/');
  });
  afterEach(() => app.close().catch(() => app.process().kill('SIGKILL')));

  const windows = () =>
    app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((window) => window.isVisible()));

  test('is one kiosk window with a sandboxed page of its own server', async () => {
    expect(
      await app.evaluate(({ BrowserWindow }) =>
        BrowserWindow.getAllWindows().map((window) => window.isKiosk()),
      ),
    ).toEqual([true]);
    // As a string, because this file has no types of the page's globals.
    expect(await page.evaluate('[typeof require, typeof process]')).toEqual(['undefined', 'undefined']);
  });

  test('opens no windows, does not navigate away, and grants no permissions', async () => {
    const url = page.url();
    expect(await page.evaluate("window.open('https://example.com') === null")).toBe(true);
    await page.evaluate("location.assign('https://example.com/')").catch(() => {});
    expect(page.url()).toBe(url);
    expect(
      await page.evaluate("navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)"),
    ).toBe('denied');
  });

  test('opens another window after its renderer has crashed', async () => {
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    );
    await waitUntil('a new page', async () => app.windows().some((each) => each !== page), 60_000);
    expect(await windows()).toEqual([true]);
  });
});

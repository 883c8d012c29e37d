import { describe, expect, test } from 'vitest';
import { chooseShell, hasDisplay } from './choose-shell.ts';
import type { ShellAvailability } from './choose-shell.ts';

const nothingAvailable: ShellAvailability = {
  display: false,
  electronBinary: null,
  electronProblem: null,
  browser: null,
  hasBundledBrowser: true,
};
const chromium = { name: 'Chromium', executable: '/usr/bin/chromium' };

describe('auto', () => {
  test('chooses Electron where its binary and a display exist', () => {
    expect(
      chooseShell('auto', { ...nothingAvailable, display: true, electronBinary: '/e', browser: chromium }),
    ).toEqual({
      kind: 'electron',
      binary: '/e',
      why: 'its binary is installed',
    });
  });

  test('chooses the installed browser where Electron is missing', () => {
    expect(chooseShell('auto', { ...nothingAvailable, display: true, browser: chromium })).toEqual({
      kind: 'chromium',
      executable: '/usr/bin/chromium',
      why: 'Chromium is installed; the Electron binary is not installed',
    });
  });

  test('chooses headless without a display, with or without Electron', () => {
    expect(chooseShell('auto', { ...nothingAvailable, electronBinary: '/e', browser: chromium })).toEqual({
      kind: 'headless',
      executable: '/usr/bin/chromium',
      why: 'there is no display; uses Chromium',
    });
  });

  test('falls back to the bundled browser', () => {
    expect(chooseShell('auto', nothingAvailable)).toEqual({
      kind: 'headless',
      executable: null,
      why: 'there is no display; uses the Chromium bundled with npm',
    });
    expect(chooseShell('auto', { ...nothingAvailable, display: true })).toMatchObject({
      kind: 'headless',
      why: expect.stringContaining('no browser is installed'),
    });
  });

  test('says what to install when nothing is available', () => {
    expect(chooseShell('auto', { ...nothingAvailable, hasBundledBrowser: false })).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('install Chromium'),
    });
  });
});

describe('Electron without a sandbox', () => {
  const problem = 'its sandbox cannot start: a setting is 1; run "fix"';
  const ubuntu: ShellAvailability = {
    ...nothingAvailable,
    display: true,
    electronBinary: '/e',
    electronProblem: problem,
  };

  test('is replaced by the installed browser, with the reason and how to fix it', () => {
    expect(chooseShell('auto', { ...ubuntu, browser: chromium })).toEqual({
      kind: 'chromium',
      executable: '/usr/bin/chromium',
      why: `Chromium is installed; Electron cannot start, ${problem}`,
    });
    expect(chooseShell('auto', ubuntu)).toMatchObject({
      kind: 'headless',
      why: expect.stringContaining(problem),
    });
  });

  test('is not started even when requested', () => {
    expect(chooseShell('electron', { ...ubuntu, browser: chromium })).toEqual({
      kind: 'none',
      why: `Electron cannot start, ${problem}, or use --shell auto`,
    });
  });
});

describe('a shell requested by name', () => {
  test('is used, or none', () => {
    const both: ShellAvailability = {
      ...nothingAvailable,
      display: true,
      electronBinary: '/e',
      browser: chromium,
    };
    expect(chooseShell('electron', both).kind).toBe('electron');
    expect(chooseShell('chromium', both).kind).toBe('chromium');
    expect(chooseShell('headless', both).kind).toBe('headless');
    expect(chooseShell('electron', nothingAvailable)).toMatchObject({
      kind: 'none',
      why: expect.stringMatching(/binary is not installed.*npx install-electron.*--shell auto/),
    });
    expect(chooseShell('electron', { ...nothingAvailable, electronBinary: '/e' })).toMatchObject({
      kind: 'none',
      why: expect.stringMatching(/no display.*--shell headless/),
    });
    expect(chooseShell('chromium', nothingAvailable)).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('install one'),
    });
    expect(chooseShell('chromium', { ...nothingAvailable, browser: chromium })).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('no display'),
    });
  });
});

test('knows what counts as a display on each system', () => {
  expect(hasDisplay('linux', {})).toBe(false);
  expect(hasDisplay('linux', { DISPLAY: ':0' })).toBe(true);
  expect(hasDisplay('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true);
  expect(hasDisplay('win32', {})).toBe(true);
});

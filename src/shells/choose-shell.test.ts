import { describe, expect, it } from 'vitest';
import { chooseShell, hasDisplay, type ShellFacts } from './choose-shell.ts';

const bare: ShellFacts = {
  display: false,
  electron: null,
  electronProblem: null,
  browser: null,
  carried: true,
};
const chromium = { name: 'Chromium', executable: '/usr/bin/chromium' };

describe('auto', () => {
  it('takes Electron where its binary and a display are', () => {
    expect(chooseShell('auto', { ...bare, display: true, electron: '/e', browser: chromium })).toEqual({
      kind: 'electron',
      binary: '/e',
      why: 'its binary is there',
    });
  });

  it('takes the installed browser where Electron is not', () => {
    expect(chooseShell('auto', { ...bare, display: true, browser: chromium })).toEqual({
      kind: 'chromium',
      executable: '/usr/bin/chromium',
      why: 'Chromium is installed; the Electron binary is not here',
    });
  });

  it('draws without a window where there is no display, Electron or not', () => {
    expect(chooseShell('auto', { ...bare, electron: '/e', browser: chromium })).toEqual({
      kind: 'headless',
      executable: '/usr/bin/chromium',
      why: 'there is no display; draws in Chromium',
    });
  });

  it('falls back to the carried browser', () => {
    expect(chooseShell('auto', bare)).toEqual({
      kind: 'headless',
      executable: null,
      why: 'there is no display; draws in the Chromium that came with npm',
    });
    expect(chooseShell('auto', { ...bare, display: true })).toMatchObject({
      kind: 'headless',
      why: expect.stringContaining('no browser is installed'),
    });
  });

  it('says what to install when there is nothing at all', () => {
    expect(chooseShell('auto', { ...bare, carried: false })).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('install Chromium'),
    });
  });
});

describe('Electron without a sandbox', () => {
  const problem = 'its sandbox cannot start: a setting is 1; run "mend"';
  const ubuntu: ShellFacts = { ...bare, display: true, electron: '/e', electronProblem: problem };

  it('gives way to the installed browser, with the reason and what would mend it', () => {
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

  it('is not started, although it was asked for', () => {
    expect(chooseShell('electron', { ...ubuntu, browser: chromium })).toEqual({
      kind: 'none',
      why: `Electron cannot start, ${problem}, or use --shell auto`,
    });
  });
});

describe('a shell asked for by name', () => {
  it('is that one or none', () => {
    const both: ShellFacts = { ...bare, display: true, electron: '/e', browser: chromium };
    expect(chooseShell('electron', both).kind).toBe('electron');
    expect(chooseShell('chromium', both).kind).toBe('chromium');
    expect(chooseShell('headless', both).kind).toBe('headless');
    expect(chooseShell('electron', bare)).toMatchObject({
      kind: 'none',
      why: expect.stringMatching(/binary is not here.*npx install-electron.*--shell auto/),
    });
    expect(chooseShell('electron', { ...bare, electron: '/e' })).toMatchObject({
      kind: 'none',
      why: expect.stringMatching(/no display.*--shell headless/),
    });
    expect(chooseShell('chromium', bare)).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('install one'),
    });
    expect(chooseShell('chromium', { ...bare, browser: chromium })).toMatchObject({
      kind: 'none',
      why: expect.stringContaining('no display'),
    });
  });
});

it('knows what a display is on each system', () => {
  expect(hasDisplay('linux', {})).toBe(false);
  expect(hasDisplay('linux', { DISPLAY: ':0' })).toBe(true);
  expect(hasDisplay('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBe(true);
  expect(hasDisplay('win32', {})).toBe(true);
});

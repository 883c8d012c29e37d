import { expect, it } from 'vitest';
import { browserFlags, type BrowserFlagsFacts } from './browser-flags.ts';

const facts: BrowserFlagsFacts = {
  profileDir: '/data/browser',
  headless: false,
  platform: 'linux',
  env: { DISPLAY: ':0' },
  sandbox: true,
  software: false,
  windowSize: null,
};

it('opens no TCP port and keeps its own profile', () => {
  const flags = browserFlags(facts);
  expect(flags).toContain('--remote-debugging-pipe');
  expect(flags.join(' ')).not.toContain('--remote-debugging-port');
  expect(flags).toContain('--user-data-dir=/data/browser');
});

it('gives the sandbox up only when told to', () => {
  expect(browserFlags(facts)).not.toContain('--no-sandbox');
  expect(browserFlags({ ...facts, sandbox: false })).toContain('--no-sandbox');
});

it('is a kiosk on a display and silent without one', () => {
  expect(browserFlags(facts)).toContain('--kiosk');
  expect(browserFlags(facts)).not.toContain('--mute-audio');
  const headless = browserFlags({ ...facts, headless: true });
  expect(headless).toContain('--headless');
  expect(headless).toContain('--mute-audio');
  expect(headless).not.toContain('--kiosk');
});

it('covers the panel from its first moment where no window manager will answer, dark before the page is there', () => {
  const flags = browserFlags({ ...facts, windowSize: { width: 1920, height: 1080 } });
  expect(flags).toContain('--window-size=1922,1082');
  expect(flags).toContain('--window-position=-1,-1');
  expect(flags).toContain('--force-dark-mode');
});

it('draws on Wayland where there is one', () => {
  expect(browserFlags(facts)).toContain('--ozone-platform=x11');
  expect(browserFlags({ ...facts, env: { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' } })).toContain(
    '--ozone-platform=wayland',
  );
});

it('leaves nothing to the graphics card in safe mode', () => {
  expect(browserFlags({ ...facts, software: true })).toContain('--disable-gpu');
  expect(browserFlags(facts)).not.toContain('--disable-gpu');
});

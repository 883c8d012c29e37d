import { expect, test } from 'vitest';
import { buildBrowserFlags } from './browser-flags.ts';
import type { BrowserFlagOptions } from './browser-flags.ts';

const options: BrowserFlagOptions = {
  profileDir: '/data/browser',
  headless: false,
  platform: 'linux',
  env: { DISPLAY: ':0' },
  sandbox: true,
  softwareRendering: false,
  windowSize: null,
};

test('opens no TCP port and uses its own profile', () => {
  const flags = buildBrowserFlags(options);
  expect(flags).toContain('--remote-debugging-pipe');
  expect(flags.join(' ')).not.toContain('--remote-debugging-port');
  expect(flags).toContain('--user-data-dir=/data/browser');
});

test('disables the sandbox only when requested', () => {
  expect(buildBrowserFlags(options)).not.toContain('--no-sandbox');
  expect(buildBrowserFlags({ ...options, sandbox: false })).toContain('--no-sandbox');
});

test('is a kiosk on a display and muted without one', () => {
  expect(buildBrowserFlags(options)).toContain('--kiosk');
  expect(buildBrowserFlags(options)).not.toContain('--mute-audio');
  const headless = buildBrowserFlags({ ...options, headless: true });
  expect(headless).toContain('--headless');
  expect(headless).toContain('--mute-audio');
  expect(headless).not.toContain('--kiosk');
});

test('covers the panel from the start where there is no window manager, dark before the page is loaded', () => {
  const flags = buildBrowserFlags({ ...options, windowSize: { width: 1920, height: 1080 } });
  expect(flags).toContain('--window-size=1922,1082');
  expect(flags).toContain('--window-position=-1,-1');
  expect(flags).toContain('--force-dark-mode');
});

test('draws on Wayland where available', () => {
  expect(buildBrowserFlags(options)).toContain('--ozone-platform=x11');
  expect(buildBrowserFlags({ ...options, env: { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' } })).toContain(
    '--ozone-platform=wayland',
  );
});

test('does not use the GPU in safe mode', () => {
  expect(buildBrowserFlags({ ...options, softwareRendering: true })).toContain('--disable-gpu');
  expect(buildBrowserFlags(options)).not.toContain('--disable-gpu');
});

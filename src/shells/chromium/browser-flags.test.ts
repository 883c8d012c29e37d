import { expect, it } from 'vitest';
import { buildBrowserFlags, type BrowserFlagOptions } from './browser-flags.ts';

const options: BrowserFlagOptions = {
  profileDir: '/data/browser',
  headless: false,
  platform: 'linux',
  env: { DISPLAY: ':0' },
  sandbox: true,
  softwareRendering: false,
  windowSize: null,
};

it('opens no TCP port and uses its own profile', () => {
  const flags = buildBrowserFlags(options);
  expect(flags).toContain('--remote-debugging-pipe');
  expect(flags.join(' ')).not.toContain('--remote-debugging-port');
  expect(flags).toContain('--user-data-dir=/data/browser');
});

it('disables the sandbox only when requested', () => {
  expect(buildBrowserFlags(options)).not.toContain('--no-sandbox');
  expect(buildBrowserFlags({ ...options, sandbox: false })).toContain('--no-sandbox');
});

it('is a kiosk on a display and muted without one', () => {
  expect(buildBrowserFlags(options)).toContain('--kiosk');
  expect(buildBrowserFlags(options)).not.toContain('--mute-audio');
  const headless = buildBrowserFlags({ ...options, headless: true });
  expect(headless).toContain('--headless');
  expect(headless).toContain('--mute-audio');
  expect(headless).not.toContain('--kiosk');
});

it('covers the panel from the start where there is no window manager, dark before the page is loaded', () => {
  const flags = buildBrowserFlags({ ...options, windowSize: { width: 1920, height: 1080 } });
  expect(flags).toContain('--window-size=1922,1082');
  expect(flags).toContain('--window-position=-1,-1');
  expect(flags).toContain('--force-dark-mode');
});

it('draws on Wayland where available', () => {
  expect(buildBrowserFlags(options)).toContain('--ozone-platform=x11');
  expect(buildBrowserFlags({ ...options, env: { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' } })).toContain(
    '--ozone-platform=wayland',
  );
});

it('does not use the GPU in safe mode', () => {
  expect(buildBrowserFlags({ ...options, softwareRendering: true })).toContain('--disable-gpu');
  expect(buildBrowserFlags(options)).not.toContain('--disable-gpu');
});

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBrowser } from './find-browser.ts';

const on = (platform: string, env: Record<string, string>, ...present: string[]) =>
  findBrowser({ platform, env, exists: (path) => present.includes(path) });

test('prefers Chromium, then Chrome, then Edge on Linux, in any order of PATH', () => {
  const env = { PATH: '/usr/local/bin:/usr/bin' };
  expect(on('linux', env, '/usr/bin/google-chrome', '/usr/bin/chromium')).toEqual({
    name: 'Chromium',
    executable: '/usr/bin/chromium',
  });
  expect(on('linux', env, '/usr/bin/microsoft-edge', '/usr/local/bin/google-chrome-stable')).toEqual({
    name: 'Chrome',
    executable: '/usr/local/bin/google-chrome-stable',
  });
});

test('searches the default folders on Windows', () => {
  const edge = join('C:\\Program Files (x86)', 'Microsoft', 'Edge', 'Application', 'msedge.exe');
  expect(on('win32', { 'ProgramFiles(x86)': 'C:\\Program Files (x86)' }, edge)).toEqual({
    name: 'Edge',
    executable: edge,
  });
});

test('returns null when there is none', () => {
  expect(on('linux', { PATH: '/usr/bin' })).toBeNull();
  expect(on('linux', {})).toBeNull();
});

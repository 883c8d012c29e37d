import { expect, it } from 'vitest';
import { playerArguments } from './electron-argv.ts';

it('leaves the binary, the script and switches of Chromium out', () => {
  const argv = [
    '/electron',
    '--no-sandbox',
    'dist/main.js',
    '--server',
    'https://a.example',
    '--ozone-platform=wayland',
  ];
  expect(playerArguments(argv, false)).toEqual(['--server', 'https://a.example']);
});

it('finds no script to leave out in a packaged app', () => {
  expect(playerArguments(['/opt/placard', '--snapshot', 'a.png', '--disable-gpu'], true)).toEqual([
    '--snapshot',
    'a.png',
  ]);
});

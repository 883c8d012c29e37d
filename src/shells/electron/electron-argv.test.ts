import { expect, test } from 'vitest';
import { readPlayerOptions } from '../options/player-options.ts';
import { splitArguments } from './electron-argv.ts';

const SERVER = ['--server', 'https://a.example'];

test('removes the binary and the script, wherever the script is', () => {
  const argv = ['/electron', '--no-sandbox', 'dist/main.js', ...SERVER, '--ozone-platform=wayland'];
  expect(splitArguments(argv, false)).toEqual({
    player: SERVER,
    chromium: ['--no-sandbox', '--ozone-platform=wayland'],
  });
  expect(splitArguments(['/electron', 'dist/main.js', ...SERVER], false).player).toEqual(SERVER);
  expect(splitArguments(['/electron', 'dist/main.js', '--smoke-test'], false).player).toEqual([
    '--smoke-test',
  ]);
});

test('finds no script to remove in a packaged app', () => {
  expect(splitArguments(['/opt/placard', '--snapshot', 'a.png', '--disable-gpu'], true).player).toEqual([
    '--snapshot',
    'a.png',
  ]);
});

test.each([
  '--log-level=1',
  '--gtk-version=3',
  '--lang=de',
  '--user-agent=x',
  '--a-switch-of-next-year',
  '-v',
])('leaves %s to Chromium', (given) => {
  const { player, chromium } = splitArguments(['/opt/placard', given, ...SERVER], true);
  expect([player, chromium]).toEqual([SERVER, [given]]);
});

test.each([
  '--server=https://a.example',
  '--max-cache=1GB',
  '--smoke-test',
  '--help',
  '-h',
  '--config=/x.json',
])('keeps %s for the player, although Chromium has similar switches', (given) => {
  expect(splitArguments(['/opt/placard', given], true).player).toEqual([given]);
});

test('still reports the value of a mistyped flag', () => {
  const { player } = splitArguments(['/opt/placard', '--sever', 'https://a.example'], true);
  expect(() => readPlayerOptions(player, { env: {}, platform: 'linux' })).toThrow('too many');
});

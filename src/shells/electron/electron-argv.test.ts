import { expect, it } from 'vitest';
import { readPlayerOptions } from '../player-options.ts';
import { divideArguments } from './electron-argv.ts';

const SERVER = ['--server', 'https://a.example'];

it('leaves the binary and the script out, wherever the script stands', () => {
  const argv = ['/electron', '--no-sandbox', 'dist/main.js', ...SERVER, '--ozone-platform=wayland'];
  expect(divideArguments(argv, false)).toEqual({
    player: SERVER,
    chromium: ['--no-sandbox', '--ozone-platform=wayland'],
  });
  expect(divideArguments(['/electron', 'dist/main.js', ...SERVER], false).player).toEqual(SERVER);
  expect(divideArguments(['/electron', 'dist/main.js', '--smoke-test'], false).player).toEqual([
    '--smoke-test',
  ]);
});

it('finds no script to leave out in a packaged app', () => {
  expect(divideArguments(['/opt/placard', '--snapshot', 'a.png', '--disable-gpu'], true).player).toEqual([
    '--snapshot',
    'a.png',
  ]);
});

it.each(['--log-level=1', '--gtk-version=3', '--lang=de', '--user-agent=x', '--a-switch-of-next-year', '-v'])(
  'leaves %s to Chromium',
  (given) => {
    const { player, chromium } = divideArguments(['/opt/placard', given, ...SERVER], true);
    expect([player, chromium]).toEqual([SERVER, [given]]);
  },
);

it.each([
  '--server=https://a.example',
  '--max-cache=1GB',
  '--smoke-test',
  '--help',
  '-h',
  '--config=/x.json',
])('keeps %s for the player, although Chromium has switches of other names', (given) => {
  expect(divideArguments(['/opt/placard', given], true).player).toEqual([given]);
});

it('still complains of a flag that was mistyped, by its value', () => {
  const { player } = divideArguments(['/opt/placard', '--sever', 'https://a.example'], true);
  const answer = readPlayerOptions(player, { env: {}, platform: 'linux' });
  expect(answer).toMatchObject({ kind: 'print', exitCode: 2, text: expect.stringContaining('too many') });
});

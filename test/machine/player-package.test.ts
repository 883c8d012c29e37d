import { expect, test } from 'vitest';
import { documentedCommands } from './documents.ts';
import { commandsFor, playerPackage } from './player-package.ts';

const withElectron = playerPackage('/tmp/any.deb', { name: 'placard', version: '1.2.3', arch: 'arm64' });
const withChromium = playerPackage('/tmp/any.deb', {
  name: 'placard-chromium',
  version: '0.1.0',
  arch: 'amd64',
});

test('the commands of the documents install and remove the package under test', () => {
  const install = documentedCommands('install-linux.md', 'install');
  expect(commandsFor(withChromium, install)).toEqual(install);
  expect(commandsFor(withElectron, install)).toContain('sudo apt install ./placard_1.2.3_arm64.deb');
  expect(commandsFor(withElectron, documentedCommands('install-linux.md', 'remove'))).toEqual([
    'sudo apt remove placard',
    'sudo apt purge placard',
  ]);
});

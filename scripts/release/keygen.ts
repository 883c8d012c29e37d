/**
 * `npm run release:keygen -- FILE`: creates the key that signs releases. The private key is written to FILE, outside the
 * repository; the public key is written into the player and its update helper, to be committed.
 */
import { Command } from 'commander';
import { errorMessage } from '../../src/core/error-details.ts';
import { embedPublicKey, makeReleaseKey, publicPem, readReleaseKey } from './release-key.ts';

const command = new Command('npm run release:keygen --')
  .description('Create the Ed25519 key that signs releases.')
  .argument(
    '<file>',
    'where the private key is written: outside the repository, e.g. ~/.config/placard/release.key',
  )
  .option('--use', 'use an existing private key instead of creating one')
  .parse();

try {
  const [file = ''] = command.args;
  const pem = command.opts<{ use?: true }>().use ? publicPem(readReleaseKey(file)) : makeReleaseKey(file);
  console.log(
    `The private key is in ${file}. Keep an offline copy: players built with it trust no other key.`,
  );
  console.log(`The public key was written to ${embedPublicKey(pem).join(' and ')}; commit both.`);
} catch (error) {
  console.error(errorMessage(error));
  process.exitCode = 1;
}

/**
 * `npm run release:keygen -- FILE`: makes the key that releases are signed with. The private half goes to FILE, outside
 * the repository; the public half is built into the player and its update helper, to be committed.
 */
import { Command } from 'commander';
import { buildIn, makeReleaseKey, publicPem, readReleaseKey } from './release-key.ts';

const command = new Command('npm run release:keygen --')
  .description('Make the Ed25519 key that releases are signed with.')
  .argument(
    '<file>',
    'where the private key is written: outside the repository, e.g. ~/.config/placard/release.key',
  )
  .option('--use', 'build the public half of an existing key in, instead of making a new one')
  .parse();

try {
  const [file = ''] = command.args;
  const pem = command.opts<{ use?: true }>().use ? publicPem(readReleaseKey(file)) : makeReleaseKey(file);
  console.log(`The private key is in ${file}. Keep a copy off line: boxes built with it trust no other key.`);
  console.log(`The public half was written to ${buildIn(pem).join(' and ')}; commit both.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/**
 * `npm run release:sign -- --key FILE --feed FILE [packages…]`: signs packages and puts them on offer in the feed.
 * Upload the packages first and the feed last.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Command, Option } from 'commander';
import type { Channel } from '../../src/core/update/feed.ts';
import { REPOSITORY } from '../dist/pack.ts';
import { signFeed, type Offer } from './feed-file.ts';
import { readPackage } from './read-package.ts';
import { readReleaseKey } from './release-key.ts';
import { writeBills } from './write-bills.ts';

const collect = (value: string, before: string[]) => [...before, value];

const command = new Command('npm run release:sign --')
  .description(
    'Sign packages and put them on offer in the update feed, or change how far they are rolled out.',
  )
  .argument('[packages...]', 'files that electron-builder or dist:chromium-deb made')
  .requiredOption('--key <file>', 'private key made by release:keygen')
  .requiredOption('--feed <file>', 'the feed; made when it is not there')
  .addOption(
    new Option('--channel <name>', 'who is offered it').choices(['stable', 'beta']).default('stable'),
  )
  .option('--rollout <percent>', 'how much of the fleet is offered it', '100')
  .option('--url-prefix <text>', 'put before the file names; relative to the address of the feed', '')
  .option('--block <version>', 'a version that no box may take any more; may be given again', collect, [])
  .parse();

const options = command.opts<{
  key: string;
  feed: string;
  channel: Channel;
  rollout: string;
  urlPrefix: string;
  block: string[];
}>();

async function main(): Promise<void> {
  const key = readReleaseKey(options.key);
  const rolloutPercent = Number(options.rollout);
  if (!(rolloutPercent >= 0 && rolloutPercent <= 100))
    throw new Error('--rollout is a number from 0 to 100.');
  const offers: Offer[] = [];
  for (const file of command.args)
    offers.push({
      manifest: await readPackage(file),
      url: options.urlPrefix + encodeURIComponent(basename(file)),
      channel: options.channel,
      rolloutPercent,
    });
  const before = existsSync(options.feed) ? readFileSync(options.feed, 'utf8') : null;
  writeFileSync(`${options.feed}.new`, signFeed(before, { offers, block: options.block }, key));
  renameSync(`${options.feed}.new`, options.feed);
  for (const { manifest } of offers)
    console.log(
      `${manifest.package} ${manifest.version} ${manifest.arch}: ${options.channel}, ${rolloutPercent} % of the fleet`,
    );
  for (const version of options.block) console.log(`${version}: blocked`);
  // Beside the feed, so that whoever fetches a package can see what is inside.
  if (offers.length > 0)
    for (const { file, count } of writeBills(REPOSITORY, dirname(options.feed)))
      console.log(`${file}: ${count} packages`);
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});

/**
 * `npm run release:sign -- --key FILE --feed FILE [packages…]`: signs packages and adds them to the update feed.
 * Upload the packages first and the feed last.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Command, Option } from 'commander';
import { errorMessage } from '../../src/core/error-details.ts';
import type { Channel } from '../../src/core/update/feed.ts';
import { REPOSITORY } from '../repository.ts';
import { signFeed } from './feed-file.ts';
import type { FeedEntry } from './feed-file.ts';
import { readPackage } from './read-package.ts';
import { readReleaseKey } from './release-key.ts';
import { writeSboms } from '../dependencies/write-sboms.ts';

const collect = (value: string, before: string[]) => [...before, value];

const command = new Command('npm run release:sign --')
  .description('Sign packages and add them to the update feed, or change their rollout.')
  .argument('[packages...]', 'packages built by npm run dist or dist:chromium-deb')
  .requiredOption('--key <file>', 'private key from release:keygen')
  .requiredOption('--feed <file>', 'feed file; created when it does not exist')
  .addOption(new Option('--channel <name>', 'update channel').choices(['stable', 'beta']).default('stable'))
  .option('--rollout <percent>', 'percentage of devices that are offered the packages', '100')
  .option('--url-prefix <text>', 'prefix of the package URLs; relative to the URL of the feed', '')
  .option('--block <version>', 'version that players must not install; can be repeated', collect, [])
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
  if (!(rolloutPercent >= 0 && rolloutPercent <= 100)) {
    throw new Error('--rollout must be a number from 0 to 100.');
  }
  const entries: FeedEntry[] = [];
  for (const file of command.args) {
    entries.push({
      manifest: await readPackage(file),
      url: options.urlPrefix + encodeURIComponent(basename(file)),
      channel: options.channel,
      rolloutPercent,
    });
  }
  const previousFeed = existsSync(options.feed) ? readFileSync(options.feed, 'utf8') : null;
  writeFileSync(`${options.feed}.new`, signFeed(previousFeed, { entries, block: options.block }, key));
  renameSync(`${options.feed}.new`, options.feed);
  for (const { manifest } of entries) {
    console.log(
      `${manifest.package} ${manifest.version} ${manifest.arch}: ${options.channel}, ${rolloutPercent} % of the fleet`,
    );
  }
  for (const version of options.block) {
    console.log(`${version}: blocked`);
  }
  // Beside the feed, so that users of a package can see its contents.
  if (entries.length > 0) {
    for (const { file, count } of writeSboms(REPOSITORY, dirname(options.feed))) {
      console.log(`${file}: ${count} packages`);
    }
  }
}

await main().catch((error: unknown) => {
  console.error(errorMessage(error));
  process.exitCode = 1;
});

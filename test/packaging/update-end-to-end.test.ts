import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPackageUpdater } from '../../src/adapters/updater/updater.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { ARCH, boxWithPlayer, cannotUpdate, type UpdateBox } from './update-box.ts';
import { startUpdateServer, type UpdateServer } from './update-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const never = new AbortController().signal;
let box: UpdateBox;
let server: UpdateServer;

beforeEach(async () => {
  if (cannotUpdate) return;
  box = boxWithPlayer();
  server = await startUpdateServer();
});
afterEach(async () => {
  if (cannotUpdate) return;
  await server.close();
  box.remove();
});

/** `npm run release:sign`, and the upload. */
function release(file: string, ...more: string[]): void {
  const feed = join(box.folder, 'feed.json');
  const key = join(box.folder, 'release.key');
  box.writePrivateKey(key);
  const result = spawnSync(
    process.execPath,
    [join(ROOT, 'scripts/release/sign.ts'), '--key', key, '--feed', feed, ...more, file],
    { encoding: 'utf8' },
  );
  expect(result.stderr).toBe('');
  server.put(basename(file), readFileSync(file));
  server.put('feed.json', readFileSync(feed));
}

/** The updater of the player that runs now. */
function player() {
  return createPackageUpdater({
    feedUrl: `${server.url}feed.json`,
    releaseKeyPem: box.releaseKeyPem,
    folder: dirname(box.inbox),
    installed: () => ({
      package: 'placard',
      version: box.player(),
      arch: ARCH,
      channel: 'stable',
      deviceId: 'dev_1',
    }),
    dispatcher: new Agent(),
    clock: createManualClock(),
    log: { debug() {}, info() {}, warn() {}, error() {}, child: () => expect.fail() },
  });
}

test.skipIf(cannotUpdate)('a signed release goes from the publisher to a healthy player', async () => {
  release(box.deb({ version: '0.2.0' }));
  expect(await player().check({ install: true }, never)).toMatchObject({
    outcome: 'installing',
    from: '0.1.0',
    to: '0.2.0',
  });
  box.run();
  expect(box.player()).toBe('0.2.0');
  box.playerStarts();
  await player().reportHealthy();
  box.run();
  expect(await player().last()).toMatchObject({ outcome: 'confirmed', from: '0.1.0', to: '0.2.0' });
  expect(await player().check({ install: true }, never)).toMatchObject({ outcome: 'up_to_date' });
});

test.skipIf(cannotUpdate)(
  'a release that never gets healthy is taken back, and the one that mends it is taken',
  async () => {
    release(box.deb({ version: '0.2.0' }));
    await player().check({ install: true }, never);
    box.run();
    box.playerStarts();
    box.minutesPass(10);
    box.run();
    expect(box.player()).toBe('0.1.0');
    expect(await player().last()).toMatchObject({ outcome: 'rolled_back', code: 'unhealthy', to: '0.2.0' });
    expect(await player().check({ install: true }, never)).toMatchObject({
      outcome: 'up_to_date',
      code: 'blocked',
      to: '0.2.0',
    });

    release(box.deb({ version: '0.2.1' }), '--block', '0.2.0');
    expect(await player().check({ install: true }, never)).toMatchObject({
      outcome: 'installing',
      to: '0.2.1',
    });
    box.run();
    expect(box.player()).toBe('0.2.1');
  },
);

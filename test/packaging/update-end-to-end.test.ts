import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPackageUpdater } from '../../src/adapters/updater/package-updater.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { ARCH, createSandboxWithPlayer, updateSkipReason } from './update-sandbox.ts';
import type { UpdateSandbox } from './update-sandbox.ts';
import { startUpdateServer } from './update-server.ts';
import type { UpdateServer } from './update-server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const neverAborted = new AbortController().signal;
let sandbox: UpdateSandbox;
let server: UpdateServer;

beforeEach(async () => {
  if (updateSkipReason) {
    return;
  }
  sandbox = createSandboxWithPlayer();
  server = await startUpdateServer();
});
afterEach(async () => {
  if (updateSkipReason) {
    return;
  }
  await server.close();
  sandbox.remove();
});

/** Runs `npm run release:sign`, and uploads. */
function release(file: string, ...more: string[]): void {
  const feed = join(sandbox.folder, 'feed.json');
  const key = join(sandbox.folder, 'release.key');
  sandbox.writePrivateKey(key);
  const result = spawnSync(
    process.execPath,
    [join(ROOT, 'scripts/release/sign.ts'), '--key', key, '--feed', feed, ...more, file],
    { encoding: 'utf8' },
  );
  expect(result.stderr).toBe('');
  server.put(basename(file), readFileSync(file));
  server.put('feed.json', readFileSync(feed));
}

/** The updater of the installed player. */
function createPlayerUpdater() {
  return createPackageUpdater({
    feedUrl: `${server.url}feed.json`,
    releaseKeyPem: sandbox.releaseKeyPem,
    folder: dirname(sandbox.inbox),
    installed: () => ({
      package: 'placard',
      version: sandbox.installedVersion(),
      arch: ARCH,
      channel: 'stable',
      deviceId: 'dev_1',
    }),
    dispatcher: new Agent(),
    clock: createManualClock(),
    log: { debug() {}, info() {}, warn() {}, error() {}, child: () => expect.fail() },
  });
}

test.skipIf(updateSkipReason)('a signed release is published, installed and confirmed', async () => {
  release(sandbox.deb({ version: '0.2.0' }));
  expect(await createPlayerUpdater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
    outcome: 'installing',
    from: '0.1.0',
    to: '0.2.0',
  });
  sandbox.run();
  expect(sandbox.installedVersion()).toBe('0.2.0');
  sandbox.startPlayer();
  await createPlayerUpdater().reportHealthy();
  sandbox.run();
  expect(await createPlayerUpdater().readHelperState()).toMatchObject({
    outcome: 'confirmed',
    from: '0.1.0',
    to: '0.2.0',
  });
  expect(await createPlayerUpdater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
    outcome: 'up_to_date',
  });
});

test.skipIf(updateSkipReason)(
  'a release that never becomes healthy is rolled back, and the release that fixes it is installed',
  async () => {
    release(sandbox.deb({ version: '0.2.0' }));
    await createPlayerUpdater().check({ mayInstall: () => true }, neverAborted);
    sandbox.run();
    sandbox.startPlayer();
    sandbox.advanceMinutes(10);
    sandbox.run();
    expect(sandbox.installedVersion()).toBe('0.1.0');
    expect(await createPlayerUpdater().readHelperState()).toMatchObject({
      outcome: 'rolled_back',
      code: 'unhealthy',
      to: '0.2.0',
    });
    expect(await createPlayerUpdater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'up_to_date',
      code: 'blocked',
      to: '0.2.0',
    });

    release(sandbox.deb({ version: '0.2.1' }), '--block', '0.2.0');
    expect(await createPlayerUpdater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'installing',
      to: '0.2.1',
    });
    sandbox.run();
    expect(sandbox.installedVersion()).toBe('0.2.1');
  },
);

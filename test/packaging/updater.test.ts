import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { signFeed } from '../../scripts/release/feed-file.ts';
import type { FeedEntry } from '../../scripts/release/feed-file.ts';
import { publicPem } from '../../scripts/release/release-key.ts';
import { createPackageUpdater } from '../../src/adapters/updater/package-updater.ts';
import type { UpdaterDeps } from '../../src/adapters/updater/package-updater.ts';
import { rolloutPosition } from '../../src/core/update/feed.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { waitUntil } from '../support/wait-until.ts';
import { manifestOf } from './update-sandbox.ts';
import { startUpdateServer } from './update-server.ts';
import type { UpdateServer } from './update-server.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const PACKAGE = Buffer.alloc(300_000, 'placard ');
const DEB = 'placard_0.2.0_amd64.deb';
const INSTALLED_PACKAGE: ReturnType<UpdaterDeps['installed']> = {
  package: 'placard',
  version: '0.1.0',
  arch: 'amd64',
  channel: 'stable',
  deviceId: 'dev_1',
};
const TRIAL = 'phase=trial\noutcome=trial\ncode=\nfrom=0.0.9\nto=0.1.0\nboot=b\nsince=5\n';
const LOG: UpdaterDeps['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => LOG };
const agent = new Agent();
const neverAborted = new AbortController().signal;

let folder: string;
let inbox: string;
let server: UpdateServer;

beforeEach(async () => {
  folder = tempDir();
  inbox = join(folder, 'inbox');
  mkdirSync(inbox);
  server = await startUpdateServer();
  server.put(DEB, PACKAGE);
  publish({});
});
afterEach(async () => {
  await server.close();
});

/** Files in the inbox for the helper, complete or partial. */
const listInbox = () => readdirSync(inbox).filter((name) => name !== 'feed-issued-at');

function publish(offer: Partial<FeedEntry>, key = privateKey, nowMs = Date.now()): void {
  const manifest = { ...manifestOf(PACKAGE, '0.2.0'), arch: 'amd64' };
  const entries = [{ manifest, url: DEB, channel: 'stable' as const, rolloutPercent: 100, ...offer }];
  server.put('feed.json', signFeed(null, { entries, block: [] }, key, nowMs));
}

function updater(more: Partial<UpdaterDeps> = {}) {
  return createPackageUpdater({
    feedUrl: `${server.url}feed.json`,
    releaseKeyPem: publicPem(privateKey),
    folder,
    installed: () => INSTALLED_PACKAGE,
    dispatcher: agent,
    clock: createManualClock(),
    log: LOG,
    ...more,
  });
}

describe('a check for updates', () => {
  test('writes the package, its manifest and signature to the inbox, and the request last', async () => {
    const report = await updater().check({ mayInstall: () => true }, neverAborted);
    expect(report).toMatchObject({ outcome: 'installing', from: '0.1.0', to: '0.2.0', code: null });
    expect(listInbox().toSorted()).toEqual(['manifest', 'manifest.sig', 'package', 'request']);
    expect(readFileSync(join(inbox, 'package')).equals(PACKAGE)).toBe(true);
    expect(statSync(join(inbox, 'manifest.sig')).size).toBe(64);
  });

  test('that is refused says nothing of the user and password in the address of the feed', async () => {
    const log = createRecordingLog();
    const feedUrl = server.url.replace('//', '//shop:opensesame@');
    const reports = [
      await updater({ feedUrl: `${feedUrl}missing.json`, log }).check(
        { mayInstall: () => true },
        neverAborted,
      ),
    ];
    publish({ url: 'missing.deb' });
    const more = updater({ feedUrl: `${feedUrl}feed.json`, log });
    reports.push(await more.check({ mayInstall: () => true }, neverAborted));
    await server.close();
    server = await startUpdateServer();
    reports.push(await more.check({ mayInstall: () => true }, neverAborted));
    expect(reports).toMatchObject(Array.from({ length: 3 }, () => ({ code: 'download_failed' })));
    expect(log.events.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify([reports, log.events])).not.toMatch(/shop|opensesame/);
  });

  test('resumes an interrupted download where it ended', async () => {
    server.breakNextResponse(DEB, 100_000);
    const first = updater().check({ mayInstall: () => true }, neverAborted);
    await waitUntil('the part', () => statSync(join(inbox, '0.2.0.part')).size === 100_000);
    server.cutConnections();
    expect(await first).toMatchObject({ outcome: 'failed', code: 'download_failed', to: '0.2.0' });
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'installing',
    });
    expect(server.requests.at(-1)).toEqual({ path: `/${DEB}`, range: 'bytes=100000-' });
    expect(readFileSync(join(inbox, 'package')).equals(PACKAGE)).toBe(true);
  });

  test('downloads at any time and requests the installation only if it may', async () => {
    expect(await updater().check({ mayInstall: () => false }, neverAborted)).toMatchObject({
      outcome: 'staged',
      to: '0.2.0',
    });
    expect(listInbox()).toEqual(['0.2.0.part']);
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'installing',
    });
    expect(server.requests.filter(({ path }) => path === `/${DEB}`)).toHaveLength(1);
  });

  test('reports its progress', async () => {
    const reportedOutcomes: string[] = [];
    await updater().check(
      { mayInstall: () => true, onProgress: ({ outcome }) => reportedOutcomes.push(outcome) },
      neverAborted,
    );
    expect(reportedOutcomes).toEqual(['downloading', 'staged']);
  });

  test.each([[[]], [['package']], [['package', 'manifest']], [['package', 'manifest', 'manifest.sig']]])(
    'starts again when it was killed after writing %j',
    async (kept) => {
      await updater().check({ mayInstall: () => true }, neverAborted);
      for (const name of listInbox()) {
        if (!kept.includes(name)) {
          rmSync(join(inbox, name));
        }
      }
      expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
        outcome: 'installing',
      });
      expect(listInbox().toSorted()).toEqual(['manifest', 'manifest.sig', 'package', 'request']);
      expect(readFileSync(join(inbox, 'package')).equals(PACKAGE)).toBe(true);
    },
  );

  test('does not resume the download of another version', async () => {
    writeFileSync(join(inbox, '0.1.9.part'), 'old');
    await updater().check({ mayInstall: () => true }, neverAborted);
    expect(listInbox()).not.toContain('0.1.9.part');
  });

  test('deletes a package that is not the signed one', async () => {
    for (const wrong of [Buffer.alloc(PACKAGE.length, 'x'), Buffer.alloc(PACKAGE.length * 2, 'placard ')]) {
      server.put(DEB, wrong);
      expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
        outcome: 'failed',
        code: 'wrong_hash',
      });
      expect(listInbox()).toEqual([]);
    }
  });

  test('rejects a feed that was signed with another key', async () => {
    publish({}, generateKeyPairSync('ed25519').privateKey);
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'failed',
      code: 'bad_signature',
    });
    expect(server.requests.map(({ path }) => path)).toEqual(['/feed.json']);
  });

  test('rejects a feed that is older than one already seen, even if correctly signed', async () => {
    publish({ rolloutPercent: 0 }, privateKey, 2_000);
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'up_to_date',
    });
    publish({ rolloutPercent: 100 }, privateKey, 1_000);
    // Also after a restart.
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'failed',
      code: 'old_feed',
    });
    expect(listInbox()).toEqual([]);
    publish({ rolloutPercent: 100 }, privateKey, 2_000);
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'installing',
    });
  });

  test('is up to date, or not yet in the rollout, without downloading a package', async () => {
    expect(
      await updater({ installed: () => ({ ...INSTALLED_PACKAGE, version: '0.2.0' }) }).check(
        { mayInstall: () => true },
        neverAborted,
      ),
    ).toMatchObject({
      outcome: 'up_to_date',
      to: null,
    });
    publish({ rolloutPercent: Math.floor(rolloutPosition('dev_1', '0.2.0') * 100) });
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'up_to_date',
      code: 'not_in_rollout',
      to: '0.2.0',
    });
    expect(server.requests.map(({ path }) => path)).toEqual(['/feed.json', '/feed.json']);
  });

  test('does not download a version again that has failed on this device', async () => {
    writeFileSync(join(folder, 'blocked'), '0.2.0\n');
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'up_to_date',
      code: 'blocked',
      to: '0.2.0',
    });
  });

  test('does not disturb the helper while it works', async () => {
    await updater().check({ mayInstall: () => true }, neverAborted);
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'failed',
      code: 'busy',
    });
    rmSync(join(inbox, 'request'));
    writeFileSync(join(folder, 'state'), TRIAL);
    expect(await updater().check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      outcome: 'failed',
      code: 'busy',
    });
  });

  test('reports why there is nothing to do on a machine without feed, key or helper', async () => {
    expect(await updater({ feedUrl: null }).check({ mayInstall: () => true }, neverAborted)).toMatchObject({
      code: 'not_configured',
    });
    expect(
      await updater({ releaseKeyPem: null }).check({ mayInstall: () => true }, neverAborted),
    ).toMatchObject({
      code: 'not_configured',
    });
    expect(
      await updater({ folder: join(folder, 'none') }).check({ mayInstall: () => true }, neverAborted),
    ).toMatchObject({
      code: 'no_helper',
    });
    expect(
      await updater({ feedUrl: `${server.url}none` }).check({ mayInstall: () => true }, neverAborted),
    ).toMatchObject({
      code: 'download_failed',
    });
  });

  test('runs once for concurrent callers', async () => {
    const one = updater();
    const reports = await Promise.all([
      one.check({ mayInstall: () => true }, neverAborted),
      one.check({ mayInstall: () => true }, neverAborted),
    ]);
    expect(reports[0]).toEqual(reports[1]);
    expect(server.requests).toHaveLength(2);
  });
});

const follow = (clock: ManualClock) => updater({ clock }).follow('0.2.0', neverAborted);

/** Writes the helper's state file. */
const says = (outcome: string, code = '', to = '0.2.0') =>
  writeFileSync(
    join(folder, 'state'),
    `phase=idle\noutcome=${outcome}\ncode=${code}\nfrom=0.1.0\nto=${to}\nboot=b\nsince=5\n`,
  );

describe('a requested installation', () => {
  test.each([
    ['confirmed', '', { code: null }],
    [
      'rolled_back',
      'unhealthy',
      { code: 'unhealthy', detail: expect.stringContaining('did not become healthy') },
    ],
    [
      'rolled_back',
      'no_space',
      { code: 'no_space', detail: expect.stringContaining('not have enough disk space') },
    ],
    ['failed', 'wrong_hash', { code: 'wrong_hash' }],
  ])('is reported as %s after the helper has reported it', async (outcome, code, report) => {
    says(outcome, code);
    expect(await follow(createManualClock())).toMatchObject({
      outcome,
      ...report,
      from: '0.1.0',
      to: '0.2.0',
    });
  });

  test('is followed through installation and trial', async () => {
    const clock = createManualClock();
    writeFileSync(join(inbox, 'request'), '');
    says('confirmed', '', '0.0.9');
    const followed = follow(clock);
    await waitUntil('the updater to wait', () => clock.sleeperCount === 1);
    writeFileSync(join(folder, 'state'), TRIAL);
    rmSync(join(inbox, 'request'));
    await clock.advance(2_000);
    await waitUntil('the updater to wait', () => clock.sleeperCount === 1);
    says('confirmed');
    await clock.advance(2_000);
    expect(await followed).toMatchObject({ outcome: 'confirmed' });
  });

  test('fails when the helper ignores it', async () => {
    writeFileSync(join(inbox, 'request'), '');
    const report = await updater({ clock: { sleep: async () => {} } }).follow('0.2.0', neverAborted);
    expect(report).toMatchObject({ outcome: 'failed', code: 'helper_silent' });
  });
});

describe('health', () => {
  test('is written during a trial only', async () => {
    await updater().reportHealthy();
    expect(listInbox()).toEqual([]);
    writeFileSync(join(folder, 'state'), TRIAL);
    await updater().reportHealthy();
    expect(readFileSync(join(inbox, 'healthy'), 'utf8')).toBe('0.1.0\n');
  });

  test('and outcome of the last update are read from the state of the helper', async () => {
    expect(await updater().readHelperState()).toMatchObject({ phase: 'idle', outcome: 'none' });
    writeFileSync(join(folder, 'state'), TRIAL);
    expect(await updater().readHelperState()).toMatchObject({ phase: 'trial', from: '0.0.9', to: '0.1.0' });
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signFeed, type Offer } from '../../scripts/release/feed-file.ts';
import { publicPem } from '../../scripts/release/release-key.ts';
import { createPackageUpdater, type UpdaterDeps } from '../../src/adapters/updater/updater.ts';
import { rolloutPosition } from '../../src/core/update/feed.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/until.ts';
import { manifestOf } from './update-box.ts';
import { startUpdateServer, type UpdateServer } from './update-server.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const PACKAGE = Buffer.alloc(300_000, 'placard ');
const DEB = 'placard_0.2.0_amd64.deb';
const BOX: ReturnType<UpdaterDeps['installed']> = {
  package: 'placard',
  version: '0.1.0',
  arch: 'amd64',
  channel: 'stable',
  deviceId: 'dev_1',
};
const TRIAL = 'phase=trial\noutcome=trial\ncode=\nfrom=0.0.9\nto=0.1.0\nboot=b\nsince=5\n';
const LOG: UpdaterDeps['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => LOG };
const agent = new Agent();
const never = new AbortController().signal;

let folder: string;
let inbox: string;
let server: UpdateServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'placard-updater-'));
  inbox = join(folder, 'inbox');
  mkdirSync(inbox);
  server = await startUpdateServer();
  server.put(DEB, PACKAGE);
  publish({});
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What lies in the inbox for the helper, or is on its way there. */
const handed = () => readdirSync(inbox).filter((name) => name !== 'feed-issued-at');

function publish(offer: Partial<Offer>, key = privateKey, nowMs = Date.now()): void {
  const manifest = { ...manifestOf(PACKAGE, '0.2.0'), arch: 'amd64' };
  const offers = [{ manifest, url: DEB, channel: 'stable' as const, rolloutPercent: 100, ...offer }];
  server.put('feed.json', signFeed(null, { offers, block: [] }, key, nowMs));
}

function updater(more: Partial<UpdaterDeps> = {}) {
  return createPackageUpdater({
    feedUrl: `${server.url}feed.json`,
    releaseKeyPem: publicPem(privateKey),
    folder,
    installed: () => BOX,
    dispatcher: agent,
    clock: createManualClock(),
    log: LOG,
    ...more,
  });
}

describe('a check for updates', () => {
  test('hands the package, its manifest and signature to the helper, and the request last', async () => {
    const report = await updater().check({ install: true }, never);
    expect(report).toMatchObject({ outcome: 'installing', from: '0.1.0', to: '0.2.0', code: null });
    expect(handed().toSorted()).toEqual(['manifest', 'manifest.sig', 'package', 'request']);
    expect(readFileSync(join(inbox, 'package')).equals(PACKAGE)).toBe(true);
    expect(statSync(join(inbox, 'manifest.sig')).size).toBe(64);
  });

  test('goes on with a download that broke off where it ended', async () => {
    server.stopNext(DEB, 100_000);
    const first = updater().check({ install: true }, never);
    await until('the part', () => statSync(join(inbox, '0.2.0.part')).size === 100_000);
    server.cutConnections();
    expect(await first).toMatchObject({ outcome: 'failed', code: 'download_failed', to: '0.2.0' });
    expect(await updater().check({ install: true }, never)).toMatchObject({ outcome: 'installing' });
    expect(server.requests.at(-1)).toEqual({ path: `/${DEB}`, range: 'bytes=100000-' });
    expect(readFileSync(join(inbox, 'package')).equals(PACKAGE)).toBe(true);
  });

  test('fetches at any hour and hands over only when it is told to', async () => {
    expect(await updater().check({ install: false }, never)).toMatchObject({
      outcome: 'staged',
      to: '0.2.0',
    });
    expect(handed()).toEqual(['0.2.0.part']);
    expect(await updater().check({ install: true }, never)).toMatchObject({ outcome: 'installing' });
    expect(server.requests.filter(({ path }) => path === `/${DEB}`)).toHaveLength(1);
  });

  test('tells how far it has come', async () => {
    const told: string[] = [];
    await updater().check({ install: true, tell: ({ outcome }) => told.push(outcome) }, never);
    expect(told).toEqual(['downloading', 'staged']);
  });

  test.each([[[]], [['package']], [['package', 'manifest']], [['package', 'manifest', 'manifest.sig']]])(
    'begins anew when it was killed after %j had been handed over',
    async (kept) => {
      await updater().check({ install: true }, never);
      for (const name of handed()) if (!kept.includes(name)) rmSync(join(inbox, name));
      expect(await updater().check({ install: true }, never)).toMatchObject({ outcome: 'installing' });
      expect(handed().toSorted()).toEqual(['manifest', 'manifest.sig', 'package', 'request']);
      expect(readFileSync(join(inbox, 'package')).equals(PACKAGE)).toBe(true);
    },
  );

  test('does not go on with the download of another version', async () => {
    writeFileSync(join(inbox, '0.1.9.part'), 'old');
    await updater().check({ install: true }, never);
    expect(handed()).not.toContain('0.1.9.part');
  });

  test('throws a package away that is not the one that was signed', async () => {
    for (const wrong of [Buffer.alloc(PACKAGE.length, 'x'), Buffer.alloc(PACKAGE.length * 2, 'placard ')]) {
      server.put(DEB, wrong);
      expect(await updater().check({ install: true }, never)).toMatchObject({
        outcome: 'failed',
        code: 'wrong_hash',
      });
      expect(handed()).toEqual([]);
    }
  });

  test('believes no feed that another key has signed', async () => {
    publish({}, generateKeyPairSync('ed25519').privateKey);
    expect(await updater().check({ install: true }, never)).toMatchObject({
      outcome: 'failed',
      code: 'bad_signature',
    });
    expect(server.requests.map(({ path }) => path)).toEqual(['/feed.json']);
  });

  test('believes no feed that is older than one that it has seen, however well signed', async () => {
    publish({ rolloutPercent: 0 }, privateKey, 2_000);
    expect(await updater().check({ install: true }, never)).toMatchObject({ outcome: 'up_to_date' });
    publish({ rolloutPercent: 100 }, privateKey, 1_000);
    // Also after a restart.
    expect(await updater().check({ install: true }, never)).toMatchObject({
      outcome: 'failed',
      code: 'old_feed',
    });
    expect(handed()).toEqual([]);
    publish({ rolloutPercent: 100 }, privateKey, 2_000);
    expect(await updater().check({ install: true }, never)).toMatchObject({ outcome: 'installing' });
  });

  test('is up to date, or waits for its place in the rollout, without fetching a package', async () => {
    expect(
      await updater({ installed: () => ({ ...BOX, version: '0.2.0' }) }).check({ install: true }, never),
    ).toMatchObject({
      outcome: 'up_to_date',
      to: null,
    });
    publish({ rolloutPercent: Math.floor(rolloutPosition('dev_1', '0.2.0') * 100) });
    expect(await updater().check({ install: true }, never)).toMatchObject({
      outcome: 'up_to_date',
      code: 'not_in_rollout',
      to: '0.2.0',
    });
    expect(server.requests.map(({ path }) => path)).toEqual(['/feed.json', '/feed.json']);
  });

  test('does not fetch again what has failed on this box', async () => {
    writeFileSync(join(folder, 'blocked'), '0.2.0\n');
    expect(await updater().check({ install: true }, never)).toMatchObject({
      outcome: 'up_to_date',
      code: 'blocked',
      to: '0.2.0',
    });
  });

  test('leaves the helper alone while it is at work', async () => {
    await updater().check({ install: true }, never);
    expect(await updater().check({ install: true }, never)).toMatchObject({
      outcome: 'failed',
      code: 'busy',
    });
    rmSync(join(inbox, 'request'));
    writeFileSync(join(folder, 'state'), TRIAL);
    expect(await updater().check({ install: true }, never)).toMatchObject({
      outcome: 'failed',
      code: 'busy',
    });
  });

  test('says why there is nothing to do on a machine without feed, key or helper', async () => {
    expect(await updater({ feedUrl: null }).check({ install: true }, never)).toMatchObject({
      code: 'not_configured',
    });
    expect(await updater({ releaseKeyPem: null }).check({ install: true }, never)).toMatchObject({
      code: 'not_configured',
    });
    expect(await updater({ folder: join(folder, 'none') }).check({ install: true }, never)).toMatchObject({
      code: 'no_helper',
    });
    expect(await updater({ feedUrl: `${server.url}none` }).check({ install: true }, never)).toMatchObject({
      code: 'download_failed',
    });
  });

  test('is one check, however many ask at the same time', async () => {
    const one = updater();
    const reports = await Promise.all([
      one.check({ install: true }, never),
      one.check({ install: true }, never),
    ]);
    expect(reports[0]).toEqual(reports[1]);
    expect(server.requests).toHaveLength(2);
  });
});

const follow = (clock: ManualClock) => updater({ clock }).follow('0.2.0', never);

/** What the helper wrote last. */
const says = (outcome: string, code = '', to = '0.2.0') =>
  writeFileSync(
    join(folder, 'state'),
    `phase=idle\noutcome=${outcome}\ncode=${code}\nfrom=0.1.0\nto=${to}\nboot=b\nsince=5\n`,
  );

describe('what was handed over', () => {
  test.each([
    ['confirmed', '', { code: null }],
    ['rolled_back', 'unhealthy', { code: 'unhealthy', detail: expect.stringContaining('did not get well') }],
    ['rolled_back', 'no_space', { code: 'no_space', detail: expect.stringContaining('no room on the disk') }],
    ['failed', 'wrong_hash', { code: 'wrong_hash' }],
  ])('is reported as %s once the helper has said so', async (outcome, code, report) => {
    says(outcome, code);
    expect(await follow(createManualClock())).toMatchObject({
      outcome,
      ...report,
      from: '0.1.0',
      to: '0.2.0',
    });
  });

  test('is waited for through installation and trial', async () => {
    const clock = createManualClock();
    writeFileSync(join(inbox, 'request'), '');
    says('confirmed', '', '0.0.9');
    const followed = follow(clock);
    await until('it to wait', () => clock.sleepers === 1);
    writeFileSync(join(folder, 'state'), TRIAL);
    rmSync(join(inbox, 'request'));
    await clock.advance(2_000);
    await until('it to wait', () => clock.sleepers === 1);
    says('confirmed');
    await clock.advance(2_000);
    expect(await followed).toMatchObject({ outcome: 'confirmed' });
  });

  test('fails when the helper leaves it lying', async () => {
    writeFileSync(join(inbox, 'request'), '');
    const report = await updater({ clock: { sleep: async () => {} } }).follow('0.2.0', never);
    expect(report).toMatchObject({ outcome: 'failed', code: 'helper_silent' });
  });
});

describe('health', () => {
  test('is written down during a trial only', async () => {
    await updater().reportHealthy();
    expect(handed()).toEqual([]);
    writeFileSync(join(folder, 'state'), TRIAL);
    await updater().reportHealthy();
    expect(readFileSync(join(inbox, 'healthy'), 'utf8')).toBe('0.1.0\n');
  });

  test('and fate of the last update are read from what the helper wrote', async () => {
    expect(await updater().last()).toMatchObject({ phase: 'idle', outcome: 'none' });
    writeFileSync(join(folder, 'state'), TRIAL);
    expect(await updater().last()).toMatchObject({ phase: 'trial', from: '0.0.9', to: '0.1.0' });
  });
});

import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { signFeed } from '../../scripts/release/feed-file.ts';
import { publicPem } from '../../scripts/release/release-key.ts';
import type { UpdateReport } from '../../src/core/update/update-report.ts';
import { createManualClock } from '../support/manual-clock.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createPlayerUpdates } from './player-updates.ts';
import type { PlayerUpdatesDeps } from './player-updates.ts';
import { manifestOf } from './update-sandbox.ts';
import { startUpdateServer } from './update-server.ts';
import type { UpdateServer } from './update-server.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const LOG: PlayerUpdatesDeps['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => LOG };
const HEALTHY = { hasShownPicture: true, isDatabaseOpen: true, cloud: 'reached' } as const;
const TRIAL = 'phase=trial\noutcome=trial\ncode=\nfrom=0.0.9\nto=0.1.0\nboot=b\nsince=5\n';
const MINUTE_MS = 60_000;

let folder: string;
let server: UpdateServer;
let clock: ManualClock;
let stopping: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  folder = tempDir();
  mkdirSync(join(folder, 'inbox'));
  server = await startUpdateServer();
  clock = createManualClock();
  stopping = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stopping.abort();
  await running;
  await server.close();
});

function offer(name: string): void {
  const bytes = Buffer.from(name);
  const manifest = { ...manifestOf(bytes, '0.2.0'), package: name, arch: 'arm64' };
  server.put(name, bytes);
  const entries = [{ manifest, url: name, channel: 'stable' as const, rolloutPercent: 100 }];
  server.put('feed.json', signFeed(null, { entries, block: [] }, privateKey));
}

function service(more: Partial<PlayerUpdatesDeps> = {}) {
  return createPlayerUpdates({
    env: { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: folder },
    arch: 'arm64',
    shell: 'chromium',
    version: '0.1.0',
    timezone: 'Europe/Berlin',
    healthSignals: () => HEALTHY,
    dispatcher: new Agent(),
    clock,
    log: LOG,
    releaseKeyPem: publicPem(privateKey),
    ...more,
  });
}

test.each([
  ['chromium', 'placard-chromium'],
  ['electron', 'placard'],
])('a player with the %s shell installs the package %s', async (shell, name) => {
  offer(name);
  const reports: UpdateReport[] = [];
  const updated = service({ shell }).update(
    { previousProgress: null, reportProgress: (r) => reports.push(r) },
    stopping.signal,
  );
  await waitUntil('the service to wait for the helper', () => clock.sleeperCount === 1);
  expect(reports.map(({ outcome }) => outcome)).toEqual(['downloading', 'staged', 'installing']);
  expect(reports.at(-1)).toMatchObject({ from: '0.1.0', to: '0.2.0' });
  stopping.abort();
  await updated;
  expect(readFileSync(join(folder, 'inbox/package'), 'utf8')).toBe(name);
});

test('a failed check reports the reason', async () => {
  expect(
    await service().update({ previousProgress: null, reportProgress: () => {} }, stopping.signal),
  ).toMatchObject({
    outcome: 'failed',
    code: 'download_failed',
  });
});

/** Lets the service check its health this many times, once every five seconds. */
async function advanceChecks(count: number): Promise<void> {
  for (let check = 0; check < count; check++) {
    await waitUntil('the service to wait', () => clock.sleeperCount === 1, 60_000, 1);
    await clock.advance(5_000);
  }
  await waitUntil('the service to have checked', () => clock.sleeperCount === 1, 60_000, 1);
}
const CHECKS_PER_MINUTE = 12;

test('a version on trial is reported healthy after six healthy minutes, and not before', async () => {
  writeFileSync(join(folder, 'state'), TRIAL);
  let vitals: ReturnType<PlayerUpdatesDeps['healthSignals']> = { ...HEALTHY, cloud: 'not_tried' };
  running = service({ healthSignals: () => vitals }).run(stopping.signal);
  await advanceChecks(7 * CHECKS_PER_MINUTE);
  vitals = HEALTHY;
  await advanceChecks(6 * CHECKS_PER_MINUTE - 1);
  vitals = { ...HEALTHY, cloud: 'not_tried' };
  await advanceChecks(CHECKS_PER_MINUTE);
  expect(existsSync(join(folder, 'inbox/healthy'))).toBe(false);
  vitals = HEALTHY;
  await advanceChecks(2);
  await waitUntil('its health', () => readFileSync(join(folder, 'inbox/healthy'), 'utf8') === '0.1.0\n');
});

test('health is reported late when the disk cannot be written for a while', async () => {
  writeFileSync(join(folder, 'state'), TRIAL);
  rmSync(join(folder, 'inbox'), { recursive: true });
  running = service().run(stopping.signal);
  await advanceChecks(7 * CHECKS_PER_MINUTE);
  mkdirSync(join(folder, 'inbox'));
  await advanceChecks(1);
  await waitUntil('its health', () => existsSync(join(folder, 'inbox/healthy')));
  expect(readFileSync(join(folder, 'inbox/healthy'), 'utf8')).toBe('0.1.0\n');
});

test('updates are checked some time after the start, and then once a day', async () => {
  running = service().run(stopping.signal);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  expect(server.requests).toHaveLength(0);
  await clock.advance(25 * MINUTE_MS);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  expect(server.requests).toHaveLength(1);
  await clock.advance(23 * 60 * MINUTE_MS);
  expect(server.requests).toHaveLength(1);
  await clock.advance(60 * MINUTE_MS);
  await waitUntil('a second check', () => server.requests.length === 2);
});

test('without a feed the service reports health and ends', async () => {
  writeFileSync(join(folder, 'state'), TRIAL);
  running = service({ env: { PLACARD_UPDATE_FOLDER: folder } }).run(stopping.signal);
  await advanceChecks(6 * CHECKS_PER_MINUTE - 1);
  await clock.advance(5_000);
  await running;
  expect(existsSync(join(folder, 'inbox/healthy'))).toBe(true);
});

/** The tests' clock starts at noon UTC, 13:00 in Berlin. */
test('a player downloads immediately and installs in the update window of its organization', async () => {
  offer('placard-chromium');
  running = service().run(stopping.signal);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  await clock.advance(25 * MINUTE_MS);
  await waitUntil(
    'the package',
    () => existsSync(join(folder, 'inbox/0.2.0.part')) && clock.sleeperCount === 1,
  );
  await clock.advance(12 * 60 * MINUTE_MS);
  expect(existsSync(join(folder, 'inbox/request'))).toBe(false);
  await clock.advance(60 * MINUTE_MS);
  await waitUntil('the request', () => existsSync(join(folder, 'inbox/request')));
});

test('a player whose window is always open installs immediately', async () => {
  offer('placard-chromium');
  const env = { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: folder };
  running = service({ env: { ...env, PLACARD_UPDATE_WINDOW: 'always' } }).run(stopping.signal);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  await clock.advance(25 * MINUTE_MS);
  await waitUntil('the request', () => existsSync(join(folder, 'inbox/request')));
  expect(readFileSync(join(folder, 'inbox/package'), 'utf8')).toBe('placard-chromium');
});

test('a player that is to wait for its turn neither downloads nor installs of its own accord, until that is over', async () => {
  offer('placard-chromium');
  let isHeld = true;
  const env = { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: folder };
  const updates = service({ env: { ...env, PLACARD_UPDATE_WINDOW: 'always' }, isHeld: () => isHeld });
  running = updates.run(stopping.signal);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  await clock.advance(25 * MINUTE_MS);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  expect(server.requests).toHaveLength(0);
  isHeld = false;
  await clock.advance(25 * 60 * MINUTE_MS);
  await waitUntil('the request', () => existsSync(join(folder, 'inbox/request')));
});

test('a player that is to wait when the window opens does not install what it has downloaded', async () => {
  offer('placard-chromium');
  let isHeld = false;
  running = service({ isHeld: () => isHeld }).run(stopping.signal);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  await clock.advance(25 * MINUTE_MS);
  await waitUntil(
    'the package',
    () => existsSync(join(folder, 'inbox/0.2.0.part')) && clock.sleeperCount === 1,
  );
  isHeld = true;
  await clock.advance(13 * 60 * MINUTE_MS);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  expect(existsSync(join(folder, 'inbox/request'))).toBe(false);
});

/** Lets the service begin its first check, whose download goes on until it is continued. */
async function beginDownload(): Promise<void> {
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  await clock.advance(25 * MINUTE_MS);
  await waitUntil('a part', () => readPart() === 'pla');
}
async function endDownload(): Promise<void> {
  server.continueResponses();
  await waitUntil('the service to wait', () => readPart() === 'placard-chromium' && clock.sleeperCount === 1);
}
const readPart = (): string | null => {
  const part = join(folder, 'inbox/0.2.0.part');
  return existsSync(part) ? readFileSync(part, 'utf8') : null;
};

test('a player that is to wait since its download began does not install what it has downloaded', async () => {
  offer('placard-chromium');
  server.breakNextResponse('placard-chromium', 3);
  let isHeld = false;
  const env = { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: folder };
  const updates = service({ env: { ...env, PLACARD_UPDATE_WINDOW: 'always' }, isHeld: () => isHeld });
  running = updates.run(stopping.signal);
  await beginDownload();
  isHeld = true;
  await endDownload();
  await clock.advance(60 * MINUTE_MS);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  expect(existsSync(join(folder, 'inbox/request'))).toBe(false);
  isHeld = false;
  await clock.advance(25 * 60 * MINUTE_MS);
  await waitUntil('the request', () => existsSync(join(folder, 'inbox/request')));
});

test('what was downloaded too late for the window is installed in the next one', async () => {
  offer('placard-chromium');
  server.breakNextResponse('placard-chromium', 3);
  const env = { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: folder };
  running = service({ env: { ...env, PLACARD_UPDATE_WINDOW: '13:00-13:30' } }).run(stopping.signal);
  await beginDownload();
  await clock.advance(10 * MINUTE_MS);
  await endDownload();
  await clock.advance(23 * 60 * MINUTE_MS);
  expect(existsSync(join(folder, 'inbox/request'))).toBe(false);
  await clock.advance(35 * MINUTE_MS);
  await waitUntil('the request', () => existsSync(join(folder, 'inbox/request')));
});

test('a release that was withdrawn before the window is not installed', async () => {
  offer('placard-chromium');
  running = service().run(stopping.signal);
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  await clock.advance(25 * MINUTE_MS);
  await waitUntil(
    'the package',
    () => existsSync(join(folder, 'inbox/0.2.0.part')) && clock.sleeperCount === 1,
  );
  server.put('feed.json', signFeed(null, { entries: [], block: ['0.2.0'] }, privateKey));
  await clock.advance(13 * 60 * MINUTE_MS);
  await waitUntil(
    'a second check',
    () => server.requests.filter(({ path }) => path === '/feed.json').length === 2,
  );
  await waitUntil('the service to wait', () => clock.sleeperCount === 1);
  expect(existsSync(join(folder, 'inbox/request'))).toBe(false);
});

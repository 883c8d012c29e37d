import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signFeed } from '../../scripts/release/feed-file.ts';
import { publicPem } from '../../scripts/release/release-key.ts';
import { createUpdateService, type UpdateServiceDeps } from '../../src/adapters/updater/update-service.ts';
import type { UpdateReport } from '../../src/core/update/report.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { until } from '../support/until.ts';
import { manifestOf } from './update-box.ts';
import { startUpdateServer, type UpdateServer } from './update-server.ts';

const { privateKey } = generateKeyPairSync('ed25519');
const LOG: UpdateServiceDeps['log'] = { debug() {}, info() {}, warn() {}, error() {}, child: () => LOG };
const WELL = { pictureShown: true, storeOpen: true, cloud: 'reached' } as const;
const TRIAL = 'phase=trial\noutcome=trial\ncode=\nfrom=0.0.9\nto=0.1.0\nboot=b\nsince=5\n';
const MINUTE_MS = 60_000;

let folder: string;
let server: UpdateServer;
let clock: ManualClock;
let stopping: AbortController;
let running: Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'placard-updates-'));
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
  rmSync(folder, { recursive: true, force: true });
});

function offer(name: string): void {
  const bytes = Buffer.from(name);
  const manifest = { ...manifestOf(bytes, '0.2.0'), package: name, arch: 'arm64' };
  server.put(name, bytes);
  const offers = [{ manifest, url: name, channel: 'stable' as const, rolloutPercent: 100 }];
  server.put('feed.json', signFeed(null, { offers, block: [] }, privateKey));
}

function service(more: Partial<UpdateServiceDeps> = {}) {
  return createUpdateService({
    env: { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: folder },
    platform: 'linux',
    arch: 'arm64',
    shell: 'chromium',
    version: '0.1.0',
    deviceId: () => 'dev_1',
    timezone: () => 'Europe/Berlin',
    vitals: () => WELL,
    dispatcher: new Agent(),
    clock,
    random: { next: () => 0.5, bytes: () => new Uint8Array() },
    log: LOG,
    releaseKeyPem: publicPem(privateKey),
    ...more,
  });
}

test.each([
  ['chromium', 'placard-chromium'],
  ['electron', 'placard'],
])('a player in the %s shell takes the package %s', async (shell, name) => {
  offer(name);
  const told: UpdateReport[] = [];
  const updated = service({ shell }).update({ before: null, tell: (r) => told.push(r) }, stopping.signal);
  await until('it to wait for the helper', () => clock.sleepers === 1);
  expect(told.map(({ outcome }) => outcome)).toEqual(['downloading', 'staged', 'installing']);
  expect(told.at(-1)).toMatchObject({ from: '0.1.0', to: '0.2.0' });
  stopping.abort();
  await updated;
  expect(readFileSync(join(folder, 'inbox/package'), 'utf8')).toBe(name);
});

test('a check that fails says why', async () => {
  expect(await service().update({ before: null, tell: () => {} }, stopping.signal)).toMatchObject({
    outcome: 'failed',
    code: 'download_failed',
  });
});

/** Lets it look so many times, once every five seconds. */
async function looks(count: number): Promise<void> {
  for (let look = 0; look < count; look++) {
    await until('it to wait', () => clock.sleepers === 1, 60_000, 1);
    await clock.advance(5_000);
  }
  await until('it to have looked', () => clock.sleepers === 1, 60_000, 1);
}
const A_MINUTE_OF_LOOKS = 12;

test('a version on trial is reported healthy when it was so for six minutes, and not before', async () => {
  writeFileSync(join(folder, 'state'), TRIAL);
  let vitals: ReturnType<UpdateServiceDeps['vitals']> = { ...WELL, cloud: 'not_tried' };
  running = service({ vitals: () => vitals }).run(stopping.signal);
  await looks(7 * A_MINUTE_OF_LOOKS);
  vitals = WELL;
  await looks(6 * A_MINUTE_OF_LOOKS - 1);
  vitals = { ...WELL, cloud: 'not_tried' };
  await looks(A_MINUTE_OF_LOOKS);
  expect(existsSync(join(folder, 'inbox/healthy'))).toBe(false);
  vitals = WELL;
  await looks(2);
  await until('its health', () => readFileSync(join(folder, 'inbox/healthy'), 'utf8') === '0.1.0\n');
});

test('a disk that takes no writes ends nothing: the health is told when it does again', async () => {
  writeFileSync(join(folder, 'state'), TRIAL);
  rmSync(join(folder, 'inbox'), { recursive: true });
  running = service().run(stopping.signal);
  await looks(7 * A_MINUTE_OF_LOOKS);
  mkdirSync(join(folder, 'inbox'));
  await looks(1);
  await until('its health', () => existsSync(join(folder, 'inbox/healthy')));
  expect(readFileSync(join(folder, 'inbox/healthy'), 'utf8')).toBe('0.1.0\n');
});

test('updates are looked for some time after the start, and then once a day', async () => {
  running = service().run(stopping.signal);
  await until('it to wait', () => clock.sleepers === 1);
  expect(server.requests).toHaveLength(0);
  await clock.advance(25 * MINUTE_MS);
  await until('it to wait', () => clock.sleepers === 1);
  expect(server.requests).toHaveLength(1);
  await clock.advance(23 * 60 * MINUTE_MS);
  expect(server.requests).toHaveLength(1);
  await clock.advance(60 * MINUTE_MS);
  await until('a second look', () => server.requests.length === 2);
});

test('without a feed it reports its health and is through', async () => {
  writeFileSync(join(folder, 'state'), TRIAL);
  running = service({ env: { PLACARD_UPDATE_FOLDER: folder } }).run(stopping.signal);
  await looks(6 * A_MINUTE_OF_LOOKS - 1);
  await clock.advance(5_000);
  await running;
  expect(existsSync(join(folder, 'inbox/healthy'))).toBe(true);
});

/** The clock of the tests stands at noon UTC, one in Berlin. */
test('a box fetches at once and installs in the night of its organization', async () => {
  offer('placard-chromium');
  running = service().run(stopping.signal);
  await until('it to wait', () => clock.sleepers === 1);
  await clock.advance(25 * MINUTE_MS);
  await until('the package', () => existsSync(join(folder, 'inbox/0.2.0.part')) && clock.sleepers === 1);
  await clock.advance(12 * 60 * MINUTE_MS);
  expect(existsSync(join(folder, 'inbox/request'))).toBe(false);
  await clock.advance(60 * MINUTE_MS);
  await until('the request', () => existsSync(join(folder, 'inbox/request')));
});

test('a box whose window is always open installs at once', async () => {
  offer('placard-chromium');
  const env = { PLACARD_UPDATE_FEED: `${server.url}feed.json`, PLACARD_UPDATE_FOLDER: folder };
  running = service({ env: { ...env, PLACARD_UPDATE_WINDOW: 'always' } }).run(stopping.signal);
  await until('it to wait', () => clock.sleepers === 1);
  await clock.advance(25 * MINUTE_MS);
  await until('the request', () => existsSync(join(folder, 'inbox/request')));
  expect(readFileSync(join(folder, 'inbox/package'), 'utf8')).toBe('placard-chromium');
});

test('what was withdrawn before the window is not installed', async () => {
  offer('placard-chromium');
  running = service().run(stopping.signal);
  await until('it to wait', () => clock.sleepers === 1);
  await clock.advance(25 * MINUTE_MS);
  await until('the package', () => existsSync(join(folder, 'inbox/0.2.0.part')) && clock.sleepers === 1);
  server.put('feed.json', signFeed(null, { offers: [], block: ['0.2.0'] }, privateKey));
  await clock.advance(13 * 60 * MINUTE_MS);
  await until(
    'a second look',
    () => server.requests.filter(({ path }) => path === '/feed.json').length === 2,
  );
  await until('it to wait', () => clock.sleepers === 1);
  expect(existsSync(join(folder, 'inbox/request'))).toBe(false);
});

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import type { ManualClock } from '../../../test/support/manual-clock.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { importProvisioning } from './import-file.ts';
import { readProvisioningState } from './provisioning-state.ts';
import { fingerprintProvisioningFiles, waitForNewProvisioningFile } from './watch-provisioning-files.ts';

const SERVER = 'https://signage.example.com';
let root: string;
let dataDir: string;
let clock: ManualClock;

beforeEach(() => {
  root = tempDir();
  dataDir = join(root, 'data');
  mkdirSync(dataDir);
  clock = createManualClock();
});

function put(path: string, content: object): string {
  const full = join(root, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, JSON.stringify(content));
  return full;
}

/** Starts watching; returns a function that reads what was found so far. */
function watch(): () => string | null {
  const location = { dataDir, platform: 'linux', root };
  const end = new AbortController();
  let found: string | null = null;
  const watching = waitForNewProvisioningFile({
    ...location,
    initialFingerprints: fingerprintProvisioningFiles(location),
    clock,
    signal: end.signal,
  }).then((path) => (found = path));
  onTestFinished(async () => {
    end.abort();
    await watching;
  });
  return () => found;
}

test.each(['data/import/stick/placard.json', 'media/STICK/placard.json'])(
  '%s is found while the player runs',
  async (path) => {
    const found = watch();
    await clock.advance(60_000);
    expect(found()).toBeNull();
    const file = put(path, { server: SERVER });
    await clock.advance(5_000);
    expect(found()).toBe(file);
  },
);

test('a file from before the start triggers nothing, one with other content does', async () => {
  put('media/STICK/placard.json', { sever: SERVER });
  const found = watch();
  await clock.advance(60_000);
  expect(found()).toBeNull();
  put('media/STICK/placard.json', { server: SERVER });
  await clock.advance(5_000);
  expect(found()).not.toBeNull();
});

test('a file that was imported before triggers nothing on another stick', async () => {
  put('media/FIRST/placard.json', { server: SERVER });
  await importProvisioning({ dataDir, platform: 'linux', root });
  const found = watch();
  put('media/SECOND/placard.json', { server: SERVER });
  await clock.advance(60_000);
  expect(found()).toBeNull();
});

test('a paired player ignores all files', async () => {
  writeFileSync(
    join(dataDir, 'identity.json'),
    JSON.stringify({ [SERVER]: { deviceId: 'd', deviceToken: 't' } }),
  );
  const found = watch();
  put('media/STICK/placard.json', { server: SERVER });
  await clock.advance(60_000);
  expect(found()).toBeNull();
  rmSync(join(dataDir, 'identity.json'));
  await clock.advance(5_000);
  expect(found()).not.toBeNull();
});

test.each([
  ['imported', { server: SERVER }, { wiped: true }],
  ['imported', { server: SERVER, menuPin: '4711' }, { wiped: false }],
  ['refused', { sever: SERVER }, {}],
])('the copy from a stick is deleted when it was %s: %j', async (kind, content, more) => {
  put('data/import/stick/placard.json', content);
  expect(await importProvisioning({ dataDir, platform: 'linux', root })).toMatchObject({ kind, ...more });
  expect(await importProvisioning({ dataDir, platform: 'linux', root })).toEqual({ kind: 'none' });
  expect(readProvisioningState(dataDir).settings.server).toBe(kind === 'imported' ? SERVER : undefined);
});

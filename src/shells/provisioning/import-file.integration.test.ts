import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { hashPin, pinVerifier } from '../../adapters/pin/pin.ts';
import { openPlayerDatabase } from '../../adapters/sqlite/player-database.ts';
import { buildManifest } from '../../../test/support/manifests.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { openStoredPinAttempts } from '../../adapters/sqlite/stored-pin-attempts.ts';
import { importProvisioning } from './import-file.ts';
import { readProvisioningState } from './provisioning-state.ts';

const SERVER = 'https://signage.example.com';
let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = tempDir();
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
});

/** Writes a file under the test's file system root. */
function put(path: string, content: object | string): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content));
  return full;
}
const stick = (name: string) => join(folder, 'media/STICK', name);
const runImport = () => importProvisioning({ dataDir, platform: 'linux', root: folder });
const provisioningState = () => readProvisioningState(dataDir);

/** Pairs the player, with this menu PIN set by the cloud or none. */
async function pair(pin: string | null): Promise<void> {
  const store = openPlayerDatabase({
    file: join(dataDir, 'player.sqlite'),
    identityFile: join(dataDir, 'identity.json'),
    server: SERVER,
    nowMs: Date.UTC(2026, 10, 20),
    log: createRecordingLog(),
  });
  store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'token' });
  const manifest = buildManifest({ playlists: {} });
  const device = { ...manifest.device, menu_pin_hash: pin && (await hashPin(pin)) };
  store.saveTargetManifest({ ...manifest, device });
  store.promoteTargetManifest();
  store.close();
}

describe('a placard.json', () => {
  test.each([
    'boot/firmware/placard.json',
    'boot/placard.json',
    'media/STICK/placard.json',
    'media/somebody/STICK/placard.json',
    'run/media/somebody/STICK/placard.json',
    'mnt/placard.json',
    'mnt/stick/placard.json',
    'data/import/placard.json',
  ])('is found at %s', async (path) => {
    put(path, { server: SERVER });
    expect(await runImport()).toMatchObject({ kind: 'imported', settings: ['server'] });
    expect(provisioningState().settings).toEqual({ server: SERVER });
  });

  test('on the boot partition is preferred to one on a stick; without either nothing changes', async () => {
    expect(await runImport()).toEqual({ kind: 'none' });
    put('media/STICK/placard.json', { server: 'https://stick.example' });
    put('boot/firmware/placard.json', { server: 'https://boot.example' });
    await runImport();
    expect(provisioningState().settings.server).toBe('https://boot.example');
  });

  test('that is invalid does not prevent the import of a valid one', async () => {
    put('boot/placard.json', '{ "server"');
    put('media/STICK/placard.json', { server: SERVER });
    expect(await runImport()).toMatchObject({ kind: 'imported' });
    expect(await runImport()).toMatchObject({ kind: 'refused' });
  });

  test('is imported once, and its secrets are erased in place', async () => {
    const secrets = { menuPin: '4711', proxy: 'http://shop:opensesame@proxy.example:3128/' };
    const path = put('boot/firmware/placard.json', { server: SERVER, orientation: 'portrait', ...secrets });
    const { size } = statSync(path);
    expect(await runImport()).toMatchObject({ kind: 'imported', wiped: true });
    const text = readFileSync(path, 'utf8');
    expect(text).not.toMatch(/4711|opensesame/);
    expect(JSON.parse(text)).toEqual({
      server: SERVER,
      orientation: 'portrait',
      proxy: 'http://proxy.example:3128/',
    });
    expect(statSync(path).size).toBe(Math.max(size, text.length));
    expect(provisioningState().settings).toMatchObject({ orientation: 'portrait', proxy: secrets.proxy });
    expect(await runImport()).toEqual({ kind: 'none' });
    expect(provisioningState().settings.proxy).toBe(secrets.proxy);
  });

  test('leaves the menu PIN only as a hash, readable by its owner only', async () => {
    put('boot/placard.json', { menuPin: '4711' });
    await runImport();
    const path = join(dataDir, 'provisioned.json');
    expect(readFileSync(path, 'utf8')).not.toContain('4711');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await pinVerifier.verify('4711', provisioningState().menuPinHash!)).toBe(true);
  });

  test('that the service copied into the data folder is deleted afterwards', async () => {
    const path = put('data/import/placard.json', { menuPin: '4711' });
    await runImport();
    expect(existsSync(path)).toBe(false);
  });

  test('that is not writable is still imported only once', async () => {
    const path = put('boot/placard.json', { server: SERVER, menuPin: '4711' });
    chmodSync(path, 0o400);
    const first = await runImport();
    // Root may write everything.
    expect(first).toMatchObject({ kind: 'imported', wiped: process.getuid?.() === 0 });
    expect(await runImport()).toEqual({ kind: 'none' });
  });

  test('can bring a certificate', async () => {
    const pem = join(folder, 'boot/company.pem');
    mkdirSync(dirname(pem));
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-subj',
        '/CN=company',
      ].concat(['-keyout', join(folder, 'key.pem'), '-out', pem]),
      { stdio: 'ignore' },
    );
    put('boot/placard.json', { caFile: 'company.pem' });
    await runImport();
    expect(provisioningState().settings.caFile).toBe(join(dataDir, 'ca.pem'));
    expect(readFileSync(join(dataDir, 'ca.pem'), 'utf8')).toBe(readFileSync(pem, 'utf8'));
  });

  test.each([
    ['{ "server": ', /not valid JSON/],
    [{ sever: SERVER }, /"sever" is not known; known settings are server/],
    [{ server: 'signage' }, /"server" must be an http/],
    [{ server: 'https://me:secret@signage.example' }, /"server" must not include a user name/],
    [{ menuPin: 4711 }, /"menuPin"/],
    [{ menuPin: '12' }, /"menuPin" must be four to eight digits/],
    [{ caFile: 'nowhere.pem' }, /not a certificate/],
  ])('%j is refused with a reason and not changed', async (content, why) => {
    const path = put('boot/placard.json', content);
    const before = readFileSync(path, 'utf8');
    expect(await runImport()).toMatchObject({ kind: 'refused', path, why: expect.stringMatching(why) });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(provisioningState().settings).toEqual({});
  });
});

describe('a malicious stick', () => {
  test.each(['placard.json', 'company.pem'])('does not block the start with a pipe as %s', async (name) => {
    put('media/STICK/placard.json', { caFile: 'company.pem' });
    rmSync(stick(name), { force: true });
    execFileSync('mkfifo', [stick(name)]);
    expect((await runImport()).kind).not.toBe('imported');
  });

  test.each(['placard.json', 'company.pem'])('does not block the start with an endless %s', async (name) => {
    put('media/STICK/placard.json', { caFile: 'company.pem' });
    rmSync(stick(name), { force: true });
    symlinkSync('/dev/zero', stick(name));
    expect((await runImport()).kind).not.toBe('imported');
  });

  test('does not make the player read other files of the device', async () => {
    const path = put('elsewhere.json', { server: SERVER, menuPin: '4711' });
    mkdirSync(join(folder, 'media/STICK'), { recursive: true });
    symlinkSync(path, stick('placard.json'));
    expect(await runImport()).toEqual({ kind: 'none' });
    expect(readFileSync(path, 'utf8')).toContain('4711');
  });
});

const attempts = () => {
  const stored = openStoredPinAttempts(dataDir);
  const found = stored?.read();
  stored?.close();
  return found;
};
const runImportAt = (nowMs: number) =>
  importProvisioning({ dataDir, platform: 'linux', root: folder, nowMs: () => nowMs });
const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 10, 20, 12);

describe('a paired player', () => {
  const evil = 'https://evil.example';

  test.each([
    ['none', undefined, null],
    ['a wrong one', '0000', '4711'],
    ['none, though one is set', undefined, '4711'],
    ['one, though none is set', '4711', null],
  ])('refuses a file that names %s as its PIN', async (_what, pin, set) => {
    await pair(set);
    put('media/STICK/placard.json', { server: evil, ...(pin === undefined ? {} : { pin }) });
    expect(await runImport()).toMatchObject({ kind: 'refused', why: expect.stringContaining('PIN') });
    expect(provisioningState().settings).toEqual({});
  });

  test('accepts a file with the PIN of its cloud, and not with the older one of its installation', async () => {
    put('boot/placard.json', { menuPin: '1111' });
    await runImport();
    await pair('4711');
    put('media/STICK/placard.json', { orientation: 'portrait', pin: '1111' });
    expect(await runImport()).toMatchObject({ kind: 'refused' });
    const path = put('media/STICK/placard.json', { orientation: 'portrait', pin: '4711' });
    expect(await runImport()).toMatchObject({ kind: 'imported', settings: ['orientation'] });
    expect(readFileSync(path, 'utf8')).not.toContain('4711');
  });

  test('tries one PIN per start, however many files name one', async () => {
    await pair('0002');
    for (const pin of ['0000', '0001', '0002']) {
      put(`mnt/${pin}/placard.json`, { server: evil, pin });
    }
    expect(await runImport()).toMatchObject({ kind: 'refused' });
    expect(provisioningState().settings).toEqual({});
  });

  test('counts wrong PINs together with those of its menu, with the same delays', async () => {
    await pair('4711');
    const before = openStoredPinAttempts(dataDir);
    before?.save({ wrong: 2, lastAtMs: NOW_MS - MINUTE_MS });
    before?.close();
    put('media/STICK/placard.json', { server: evil, pin: '0000' });
    expect(await runImportAt(NOW_MS)).toMatchObject({ kind: 'refused' });
    expect(attempts()).toEqual({ wrong: 3, lastAtMs: NOW_MS });
    put('media/STICK/placard.json', { orientation: 'portrait', pin: '4711' });
    expect(await runImportAt(NOW_MS + 1000)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('too often: restart the player with the file in 1 minutes'),
    });
    expect(attempts()?.wrong, 'no try').toBe(3);
    expect(await runImportAt(NOW_MS + MINUTE_MS)).toMatchObject({ kind: 'imported' });
    expect(attempts()).toEqual({ wrong: 0, lastAtMs: 0 });
  });

  test('counts a stick that stays plugged in as one attempt, not one per start', async () => {
    await pair('4711');
    put('media/STICK/placard.json', { server: evil, pin: '0000' });
    for (let n = 0; n < 5; n++) {
      expect(await runImportAt(NOW_MS + n * MINUTE_MS)).toMatchObject({ kind: 'refused' });
    }
    expect(attempts()?.wrong).toBe(1);
    for (let n = 1; n < 10; n++) {
      put('media/STICK/placard.json', { server: evil, pin: `000${n}` });
      await runImportAt(NOW_MS);
    }
    expect(attempts()?.wrong, 'then it is locked').toBe(3);
  });

  test('accepts the PIN of its installation where the cloud has set none', async () => {
    put('boot/placard.json', { menuPin: '1111' });
    await runImport();
    await pair(null);
    put('media/STICK/placard.json', { orientation: 'portrait', pin: '1111' });
    expect(await runImport()).toMatchObject({ kind: 'imported' });
  });
});

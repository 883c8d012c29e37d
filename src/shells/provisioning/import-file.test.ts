import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashPin, pinCheck } from '../../adapters/pin/pin.ts';
import { createSqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { openAttempts } from './kept-attempts.ts';
import { importProvisioning } from './import-file.ts';
import { readProvisioned } from './provisioned.ts';

const SERVER = 'https://signage.example.com';
let folder: string;
let dataDir: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'placard-provision-'));
  dataDir = join(folder, 'data');
  mkdirSync(dataDir);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a file onto this machine, whose root is the folder of the test. */
function put(path: string, content: object | string): string {
  const full = join(folder, path);
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content));
  return full;
}
const stick = (name: string) => join(folder, 'media/STICK', name);
const start = () => importProvisioning({ dataDir, platform: 'linux', root: folder });
const kept = () => readProvisioned(dataDir);

/** A player that is paired, and whose cloud has set this PIN or none. */
async function pair(pin: string | null): Promise<void> {
  const store = createSqliteStore({
    file: join(dataDir, 'player.sqlite'),
    identityFile: join(dataDir, 'identity.json'),
    server: SERVER,
    nowMs: Date.UTC(2026, 10, 20),
    log: createQuietLog(),
  });
  store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'token' });
  const manifest = sketchManifest({ playlists: {} });
  const device = { ...manifest.device, menu_pin_hash: pin && (await hashPin(pin)) };
  store.saveTarget({ ...manifest, device });
  store.promoteTarget();
  store.close();
}

describe('a placard.json', () => {
  it.each([
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
    expect(await start()).toMatchObject({ kind: 'imported', settings: ['server'] });
    expect(kept().settings).toEqual({ server: SERVER });
  });

  it('on the boot partition goes before one on a stick, and none of both changes nothing', async () => {
    expect(await start()).toEqual({ kind: 'none' });
    put('media/STICK/placard.json', { server: 'https://stick.example' });
    put('boot/firmware/placard.json', { server: 'https://boot.example' });
    await start();
    expect(kept().settings.server).toBe('https://boot.example');
  });

  it('that is wrong does not stand in the way of one that is right', async () => {
    put('boot/placard.json', '{ "server"');
    put('media/STICK/placard.json', { server: SERVER });
    expect(await start()).toMatchObject({ kind: 'imported' });
    expect(await start()).toMatchObject({ kind: 'refused' });
  });

  it('is imported once, and loses its secrets in place', async () => {
    const secrets = { menuPin: '4711', proxy: 'http://shop:opensesame@proxy.example:3128/' };
    const path = put('boot/firmware/placard.json', { server: SERVER, orientation: 'portrait', ...secrets });
    const { size } = statSync(path);
    expect(await start()).toMatchObject({ kind: 'imported', wiped: true });
    const text = readFileSync(path, 'utf8');
    expect(text).not.toMatch(/4711|opensesame/);
    expect(JSON.parse(text)).toEqual({
      server: SERVER,
      orientation: 'portrait',
      proxy: 'http://proxy.example:3128/',
    });
    expect(statSync(path).size).toBe(Math.max(size, text.length));
    expect(kept().settings).toMatchObject({ orientation: 'portrait', proxy: secrets.proxy });
    expect(await start()).toEqual({ kind: 'none' });
    expect(kept().settings.proxy).toBe(secrets.proxy);
  });

  it('leaves the PIN of the menu as a hash alone, for the owner alone', async () => {
    put('boot/placard.json', { menuPin: '4711' });
    await start();
    const path = join(dataDir, 'provisioned.json');
    expect(readFileSync(path, 'utf8')).not.toContain('4711');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await pinCheck.matches('4711', kept().menuPinHash!)).toBe(true);
  });

  it('that the service has put into the data folder is gone afterwards', async () => {
    const path = put('data/import/placard.json', { menuPin: '4711' });
    await start();
    expect(existsSync(path)).toBe(false);
  });

  it('that cannot be written is imported once all the same', async () => {
    const path = put('boot/placard.json', { server: SERVER, menuPin: '4711' });
    chmodSync(path, 0o400);
    const first = await start();
    // Root may write everything.
    expect(first).toMatchObject({ kind: 'imported', wiped: process.getuid?.() === 0 });
    expect(await start()).toEqual({ kind: 'none' });
  });

  it('brings a certificate along', async () => {
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
    await start();
    expect(kept().settings.caFile).toBe(join(dataDir, 'ca.pem'));
    expect(readFileSync(join(dataDir, 'ca.pem'), 'utf8')).toBe(readFileSync(pem, 'utf8'));
  });

  it.each([
    ['{ "server": ', /not valid JSON/],
    [{ sever: SERVER }, /"sever" is not known; known are server/],
    [{ server: 'signage' }, /"server" must be an http/],
    [{ menuPin: 4711 }, /"menuPin"/],
    [{ menuPin: '12' }, /"menuPin" must be four to eight digits/],
    [{ caFile: 'nowhere.pem' }, /no certificate/],
  ])('%j is refused with a reason, and left as it is', async (content, why) => {
    const path = put('boot/placard.json', content);
    const before = readFileSync(path, 'utf8');
    expect(await start()).toMatchObject({ kind: 'refused', path, why: expect.stringMatching(why) });
    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(kept().settings).toEqual({});
  });
});

describe('a stick of somebody who means no good', () => {
  it.each(['placard.json', 'company.pem'])('does not hold up the start by a pipe as %s', async (name) => {
    put('media/STICK/placard.json', { caFile: 'company.pem' });
    rmSync(stick(name), { force: true });
    execFileSync('mkfifo', [stick(name)]);
    expect((await start()).kind).not.toBe('imported');
  });

  it.each(['placard.json', 'company.pem'])('brings no endless %s', async (name) => {
    put('media/STICK/placard.json', { caFile: 'company.pem' });
    rmSync(stick(name), { force: true });
    symlinkSync('/dev/zero', stick(name));
    expect((await start()).kind).not.toBe('imported');
  });

  it('leads the player to no file of the box', async () => {
    const path = put('elsewhere.json', { server: SERVER, menuPin: '4711' });
    mkdirSync(join(folder, 'media/STICK'), { recursive: true });
    symlinkSync(path, stick('placard.json'));
    expect(await start()).toEqual({ kind: 'none' });
    expect(readFileSync(path, 'utf8')).toContain('4711');
  });
});

const attempts = () => {
  const kept = openAttempts(dataDir);
  const found = kept?.read();
  kept?.close();
  return found;
};
const at = (nowMs: number) =>
  importProvisioning({ dataDir, platform: 'linux', root: folder, nowMs: () => nowMs });
const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 10, 20, 12);

describe('a player that is paired', () => {
  const evil = 'https://evil.example';

  it.each([
    ['none', undefined, null],
    ['a wrong one', '0000', '4711'],
    ['none, though one is set', undefined, '4711'],
    ['one, though none is set', '4711', null],
  ])('takes no file that names %s for its PIN', async (_what, pin, set) => {
    await pair(set);
    put('media/STICK/placard.json', { server: evil, ...(pin === undefined ? {} : { pin }) });
    expect(await start()).toMatchObject({ kind: 'refused', why: expect.stringContaining('PIN') });
    expect(kept().settings).toEqual({});
  });

  it('takes one that names the PIN of its cloud, and not the older one of its installation', async () => {
    put('boot/placard.json', { menuPin: '1111' });
    await start();
    await pair('4711');
    put('media/STICK/placard.json', { orientation: 'portrait', pin: '1111' });
    expect(await start()).toMatchObject({ kind: 'refused' });
    const path = put('media/STICK/placard.json', { orientation: 'portrait', pin: '4711' });
    expect(await start()).toMatchObject({ kind: 'imported', settings: ['orientation'] });
    expect(readFileSync(path, 'utf8')).not.toContain('4711');
  });

  it('tries one PIN a start, however many files name one', async () => {
    await pair('0002');
    for (const pin of ['0000', '0001', '0002']) put(`mnt/${pin}/placard.json`, { server: evil, pin });
    expect(await start()).toMatchObject({ kind: 'refused' });
    expect(kept().settings).toEqual({});
  });

  it('counts wrong PINs with those of its menu, and has them wait in the same way', async () => {
    await pair('4711');
    const before = openAttempts(dataDir);
    before?.keep({ wrong: 2, lastAtMs: NOW_MS - MINUTE_MS });
    before?.close();
    put('media/STICK/placard.json', { server: evil, pin: '0000' });
    expect(await at(NOW_MS)).toMatchObject({ kind: 'refused' });
    expect(attempts()).toEqual({ wrong: 3, lastAtMs: NOW_MS });
    put('media/STICK/placard.json', { orientation: 'portrait', pin: '4711' });
    expect(await at(NOW_MS + 1000)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('too often: start again with it in 1 minutes'),
    });
    expect(attempts()?.wrong, 'no try').toBe(3);
    expect(await at(NOW_MS + MINUTE_MS)).toMatchObject({ kind: 'imported' });
    expect(attempts()).toEqual({ wrong: 0, lastAtMs: 0 });
  });

  it('counts a stick that stays in the box as one try, not as one a start', async () => {
    await pair('4711');
    put('media/STICK/placard.json', { server: evil, pin: '0000' });
    for (let n = 0; n < 5; n++) expect(await at(NOW_MS + n * MINUTE_MS)).toMatchObject({ kind: 'refused' });
    expect(attempts()?.wrong).toBe(1);
    for (let n = 1; n < 10; n++) {
      put('media/STICK/placard.json', { server: evil, pin: `000${n}` });
      await at(NOW_MS);
    }
    expect(attempts()?.wrong, 'then it is locked').toBe(3);
  });

  it('takes the PIN of its installation where the cloud has set none', async () => {
    put('boot/placard.json', { menuPin: '1111' });
    await start();
    await pair(null);
    put('media/STICK/placard.json', { orientation: 'portrait', pin: '1111' });
    expect(await start()).toMatchObject({ kind: 'imported' });
  });
});

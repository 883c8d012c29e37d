import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { signFeed } from '../../scripts/release/feed-file.ts';
import type { FeedEntry } from '../../scripts/release/feed-file.ts';
import {
  embedPublicKey,
  makeReleaseKey,
  publicPem,
  readReleaseKey,
} from '../../scripts/release/release-key.ts';
import { RELEASE_KEY_PEM } from '../../src/adapters/updater/release-key.ts';
import { readFeed } from '../../src/adapters/updater/signed-feed.ts';

const ROOT = resolve(import.meta.dirname, '../..');
let folder: string;
let repository: string;

beforeEach(() => {
  folder = tempDir();
  repository = join(folder, 'repository');
  mkdirSync(repository);
});

describe('the private key', () => {
  test('is created with access for its owner only, and can be read back', () => {
    const path = join(folder, 'keys/release.key');
    const pem = makeReleaseKey(path, repository);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(publicPem(readReleaseKey(path, repository))).toBe(pem);
  });

  test('is never overwritten', () => {
    const path = join(folder, 'release.key');
    makeReleaseKey(path, repository);
    expect(() => makeReleaseKey(path, repository)).toThrow(/EEXIST/);
  });

  test('is refused inside the repository, also through a symbolic link', () => {
    symlinkSync(repository, join(folder, 'link'));
    for (const path of [
      join(repository, 'a.key'),
      join(repository, 'new/folder/a.key'),
      join(folder, 'link/a.key'),
    ]) {
      expect(() => makeReleaseKey(path, repository)).toThrow(/inside the repository/);
    }
    const outside = join(folder, 'release.key');
    makeReleaseKey(outside, repository);
    cpSync(outside, join(repository, 'release.key'));
    expect(() => readReleaseKey(join(repository, 'release.key'), repository)).toThrow(
      /inside the repository/,
    );
  });

  test.skipIf(process.platform === 'win32')('is refused when others can read it', () => {
    const path = join(folder, 'release.key');
    makeReleaseKey(path, repository);
    for (const mode of [0o644, 0o640]) {
      chmodSync(path, mode);
      expect(() => readReleaseKey(path, repository)).toThrow(/can be read by others/);
    }
  });
});

describe('the public key', () => {
  test('is the same for the player and for its privileged helper', () => {
    const forHelper = readFileSync(join(ROOT, 'build/linux/update-key.pem'), 'utf8');
    expect(forHelper.includes('BEGIN PUBLIC KEY') ? forHelper : null).toBe(RELEASE_KEY_PEM);
  });

  test('is built into both by one command, and can be replaced', () => {
    for (const path of ['src/adapters/updater/release-key.ts', 'build/linux/update-key.pem']) {
      cpSync(join(ROOT, path), join(repository, path));
    }
    for (const name of ['first.key', 'second.key']) {
      const pem = makeReleaseKey(join(folder, name), repository);
      embedPublicKey(pem, repository);
      expect(readFileSync(join(repository, 'build/linux/update-key.pem'), 'utf8')).toBe(pem);
      const source = readFileSync(join(repository, 'src/adapters/updater/release-key.ts'), 'utf8');
      expect(source.match(/-----BEGIN[^`]*/g)).toEqual([pem]);
    }
  });
});

const offer = (version: string, more: Partial<FeedEntry> = {}, sha512 = 'ab'.repeat(64)): FeedEntry => ({
  manifest: { package: 'placard', version, arch: 'amd64', size: 1, sha512 },
  url: `placard_${version}_amd64.deb`,
  channel: 'stable',
  rolloutPercent: 100,
  ...more,
});

const issuedAtMs = (response: ReturnType<typeof readFeed>) =>
  response.kind === 'feed' ? response.feed.issuedAtMs : Number.NaN;

describe('the feed', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const read = (text: string, key = privateKey) => readFeed(text, publicPem(key));

  test('reads back what was signed', () => {
    const text = signFeed(
      null,
      { entries: [offer('0.2.0', { rolloutPercent: 5 })], block: ['0.1.5'] },
      privateKey,
    );
    expect(read(text)).toMatchObject({
      kind: 'feed',
      feed: {
        releases: [{ manifest: { version: '0.2.0' }, rolloutPercent: 5, url: 'placard_0.2.0_amd64.deb' }],
        blocked: ['0.1.5'],
      },
    });
  });

  test('can be extended, and a release in it changes channel and rollout without a second entry', () => {
    let text = signFeed(
      null,
      { entries: [offer('0.2.0', { channel: 'beta', rolloutPercent: 5 })], block: [] },
      privateKey,
    );
    text = signFeed(text, { entries: [offer('0.3.0')], block: ['0.1.0'] }, privateKey);
    text = signFeed(
      text,
      { entries: [offer('0.2.0', { rolloutPercent: 50 })], block: ['0.1.0'] },
      privateKey,
    );
    expect(read(text)).toMatchObject({
      feed: {
        releases: [
          { manifest: { version: '0.2.0' }, rolloutPercent: 50, channel: 'stable' },
          { manifest: { version: '0.3.0' } },
        ],
        blocked: ['0.1.0'],
      },
    });
  });

  test('is newer than the previous feed, whatever the clock says', () => {
    const first = signFeed(null, { entries: [], block: [] }, privateKey, 5_000);
    expect(issuedAtMs(read(first))).toBe(5_000);
    expect(issuedAtMs(read(signFeed(first, { entries: [], block: [] }, privateKey, 1_000)))).toBe(5_001);
    expect(issuedAtMs(read(signFeed(first, { entries: [], block: [] }, privateKey, 9_000)))).toBe(9_000);
  });

  test('rejects different packages of the same version', () => {
    const text = signFeed(null, { entries: [offer('0.2.0')], block: [] }, privateKey);
    expect(() =>
      signFeed(text, { entries: [offer('0.2.0', {}, 'cd'.repeat(64))], block: [] }, privateKey),
    ).toThrow(/already published/);
  });

  test('signed with another key is neither read nor extended', () => {
    const other = generateKeyPairSync('ed25519').privateKey;
    const text = signFeed(null, { entries: [offer('0.2.0')], block: [] }, privateKey);
    expect(read(text, other)).toEqual({ kind: 'refused', code: 'bad_signature' });
    expect(() => signFeed(text, { entries: [], block: [] }, other)).toThrow(/another key/);
  });

  test('is refused when a character was changed, and when it is not a feed', () => {
    const text = signFeed(null, { entries: [offer('0.2.0')], block: [] }, privateKey);
    expect(read(text.replace('0.2.0', '0.2.1'))).toEqual({ kind: 'refused', code: 'bad_signature' });
    expect(read('<html>Welcome to our Wi-Fi</html>')).toEqual({ kind: 'refused', code: 'bad_feed' });
  });
});

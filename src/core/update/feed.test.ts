import { describe, expect, test } from 'vitest';
import { chooseRelease, rolloutPosition } from './feed.ts';
import type { UpdateFeed, InstalledPlayer, Release } from './feed.ts';
import { formatReleaseManifest } from './release-manifest.ts';

const installed: InstalledPlayer = {
  package: 'placard',
  version: '0.1.0',
  arch: 'amd64',
  channel: 'stable',
  deviceId: 'dev_1',
  blocked: [],
};

function release(
  version: string,
  more: Partial<Release> & { package?: string; arch?: string } = {},
): Release {
  const { package: name = 'placard', arch = 'amd64', ...rest } = more;
  const manifest = { package: name, version, arch, size: 1, sha512: '00'.repeat(64) };
  return {
    manifest,
    manifestText: formatReleaseManifest(manifest),
    signature: '',
    url: `${name}_${version}_${arch}.deb`,
    channel: 'stable',
    rolloutPercent: 100,
    ...rest,
  };
}
const feed = (...releases: Release[]): UpdateFeed => ({ issuedAtMs: 0, releases, blocked: [] });
const chosenVersion = (offered: UpdateFeed, about: Partial<InstalledPlayer> = {}) => {
  const choice = chooseRelease(offered, { ...installed, ...about });
  return choice.kind === 'update' ? choice.release.manifest.version : choice.kind;
};

describe('the release that a device installs', () => {
  test('is the newest, anywhere in the feed', () => {
    expect(chosenVersion(feed(release('0.2.0'), release('0.10.0'), release('0.9.0')))).toBe('0.10.0');
  });

  test('is never older than or equal to the running version', () => {
    expect(chosenVersion(feed(release('0.0.9'), release('0.1.0')))).toBe('up_to_date');
  });

  test('has this package and this architecture', () => {
    const others = feed(
      release('0.2.0', { arch: 'arm64' }),
      release('0.3.0', { package: 'placard-chromium' }),
    );
    expect(chosenVersion(others)).toBe('up_to_date');
    expect(chosenVersion(others, { arch: 'arm64' })).toBe('0.2.0');
  });

  test('is a beta only for a device on the beta channel, which also installs stable releases', () => {
    const both = feed(release('0.3.0', { channel: 'beta' }), release('0.2.0'));
    expect(chosenVersion(both)).toBe('0.2.0');
    expect(chosenVersion(both, { channel: 'beta' })).toBe('0.3.0');
    expect(chosenVersion(feed(release('0.2.0')), { channel: 'beta' })).toBe('0.2.0');
  });

  test('is not one that was withdrawn or has failed on this device; the one before it is chosen', () => {
    const withdrawn = { ...feed(release('0.3.0')), blocked: ['0.3.0'] };
    expect(chooseRelease(withdrawn, installed)).toEqual({ kind: 'blocked', version: '0.3.0' });
    expect(chosenVersion(feed(release('0.3.0')), { blocked: ['0.3.0'] })).toBe('blocked');
    expect(chosenVersion(feed(release('0.3.0'), release('0.2.0')), { blocked: ['0.3.0'] })).toBe('0.2.0');
  });

  test('waits until the rollout has reached the device', () => {
    const position = rolloutPosition('dev_1', '0.2.0') * 100;
    const before = feed(release('0.2.0', { rolloutPercent: Math.floor(position) }));
    expect(chooseRelease(before, installed)).toEqual({ kind: 'not_in_rollout', version: '0.2.0' });
    expect(chosenVersion(feed(release('0.2.0', { rolloutPercent: Math.ceil(position) })))).toBe('0.2.0');
    expect(chosenVersion(feed(release('0.2.0', { rolloutPercent: 0 })))).toBe('not_in_rollout');
  });
});

describe('the rollout position', () => {
  const fleet = Array.from({ length: 10_000 }, (_, i) => `dev_${String(i).padStart(6, '0')}`);
  const first = (version: string, percent: number) =>
    new Set(fleet.filter((id) => rolloutPosition(id, version) * 100 < percent));

  test('spreads devices with similar ids evenly', () => {
    for (const percent of [1, 10, 50]) {
      const share = first('0.2.0', percent).size / fleet.length;
      expect(Math.abs(share * 100 - percent)).toBeLessThan(2);
    }
  });

  test('differs between versions', () => {
    const [earlier, later] = [first('0.2.0', 10), first('0.3.0', 10)];
    const both = [...earlier].filter((id) => later.has(id));
    expect(both.length / fleet.length).toBeLessThan(0.03);
  });

  test('is monotonic: a device included at 10 % is included at 20 %', () => {
    const later = first('0.2.0', 20);
    expect([...first('0.2.0', 10)].every((id) => later.has(id))).toBe(true);
  });
});

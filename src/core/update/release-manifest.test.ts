import { describe, expect, test } from 'vitest';
import { compareVersions, formatReleaseManifest, parseReleaseManifest } from './release-manifest.ts';
import type { ReleaseManifest } from './release-manifest.ts';

const manifest: ReleaseManifest = {
  package: 'placard',
  version: '0.2.0',
  arch: 'amd64',
  size: 1234,
  sha512: 'ab'.repeat(64),
};

describe('the signed text of a release', () => {
  test('parses back to the same manifest', () => {
    expect(parseReleaseManifest(formatReleaseManifest(manifest))).toEqual(manifest);
  });

  test.each([
    ['a line too many', (text: string) => `${text}channel=beta\n`],
    ['a line too few', (text: string) => text.replace(/size=.*\n/, '')],
    ['lines in another order', (text: string) => text.replace(/(package=.*\n)(version=.*\n)/, '$2$1')],
    ['Windows line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a path in the name', (text: string) => text.replace('package=placard', 'package=../placard')],
    ['a version with words', (text: string) => text.replace('0.2.0', '0.2.0-beta.1')],
    ['a version with a leading zero', (text: string) => text.replace('0.2.0', '0.02.0')],
    ['another format', (text: string) => text.replace('release=1', 'release=2')],
    ['a short hash', (text: string) => text.replace('abab', 'ab')],
  ])('is rejected with %s', (_name, spoil) => {
    const text = spoil(formatReleaseManifest(manifest));
    expect(text).not.toBe(formatReleaseManifest(manifest));
    expect(parseReleaseManifest(text)).toBeNull();
  });

  test('cannot be formatted from an invalid manifest', () => {
    expect(() => formatReleaseManifest({ ...manifest, version: '1.0' })).toThrow(RangeError);
    expect(() => formatReleaseManifest({ ...manifest, package: 'a\nb' })).toThrow(RangeError);
  });
});

test('versions are compared numerically', () => {
  expect(['0.10.0', '0.9.9', '1.0.0', '0.2.0'].toSorted(compareVersions)).toEqual([
    '0.2.0',
    '0.9.9',
    '0.10.0',
    '1.0.0',
  ]);
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0);
});

import type { Manifest } from '@placard/protocol';
import { expect, test } from 'vitest';
import { imageAsset, buildManifest } from '../../../test/support/manifests.ts';
import { requireMediaHost } from './media-hosts.ts';

const manifest = buildManifest({ playlists: {} });
const named: Manifest = { ...manifest, media_hosts: ['cdn.example', 'files.example:8443'] };
const fetchFrom =
  (url: string, from = named) =>
  () =>
    requireMediaHost(imageAsset('a', { url }), from, 'https://signage.example');

test.each(['https://signage.example/cdn/a.png', 'https://cdn.example/a', 'https://files.example:8443/a'])(
  'files are allowed from the cloud and from the media hosts of the manifest: %s',
  (url) => {
    expect(fetchFrom(url)).not.toThrow();
  },
);

test.each([
  'https://other.example/a',
  'https://files.example/a',
  'http://127.0.0.1:8080/a',
  'https://signage.example:6379/a',
])('files are not allowed from other hosts: %s', (url) => {
  expect(fetchFrom(url)).toThrow(/asset.not_allowed/);
});

const redirectTo = (url: string) => () =>
  requireMediaHost(imageAsset('a', { url: 'https://cdn.example/a' }), named, 'https://signage.example', url);

test('a server may send the player only to these hosts', () => {
  expect(redirectTo('https://files.example:8443/a?signature=1')).not.toThrow();
  expect(redirectTo('https://other.example/a')).toThrow(/asset.not_allowed/);
});

test('a manifest without media hosts (of an older cloud) allows any host', () => {
  expect(fetchFrom('https://other.example/a', manifest)).not.toThrow();
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { expect, onTestFinished, test, vi } from 'vitest';
import { pairDevice } from '../../packages/cloud/test/support/paired-device.ts';
import { S3_CREDENTIALS, startS3Server } from '../../packages/cloud/test/support/s3-server.ts';
import { startTestCloud } from '../../packages/cloud/test/support/test-cloud.ts';
import { createSsrfGuard } from '../../src/adapters/media-cache/ssrf-guard.ts';
import { requireMediaHost } from '../../src/core/sync/media-hosts.ts';
import { createMediaCacheFixture } from '../support/media-cache-fixture.ts';
import { createMemoryDatabase } from '../support/memory-database.ts';
import { tempDir } from '../support/temp-dir.ts';

for (const [name, value] of Object.entries({ ...S3_CREDENTIALS, AWS_EC2_METADATA_DISABLED: 'true' })) {
  vi.stubEnv(name, value);
}

test('a player gets a file that the cloud redirects to a bucket, and resumes there', async () => {
  const s3 = await startS3Server(tempDir());
  onTestFinished(() => s3.stop());
  const cloud = await startTestCloud({ s3: s3.settings, mediaDelivery: 'redirect' });
  onTestFinished(() => cloud.close());
  const raw = { width: 1000, height: 1000, channels: 3 } as const;
  const bytes = await sharp(randomBytes(3_000_000), { raw }).png({ compressionLevel: 0 }).toBuffer();
  const content = (await cloud.admin.upload(bytes, 'noise.png')).data;
  const playlist = (
    await cloud.admin.post('/v1/playlists', { name: 'P', items: [{ content_id: content.id }] })
  ).data;
  const screen = await pairDevice(cloud);
  const targets = [{ type: 'device', id: screen.deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  const manifest = (await screen.client.get('/v1/player/manifest')).data;
  const [asset] = manifest.assets;

  const { dir, openCache } = await createMediaCacheFixture();
  const server = cloud.cloud.url;
  const cache = await openCache(createMemoryDatabase(), { ssrfGuard: createSsrfGuard({ server }) });
  const fetchAsset = () =>
    cache.fetch(asset, new AbortController().signal, (url) => requireMediaHost(asset, manifest, server, url));
  // The first download breaks off after two thirds.
  s3.intercept((request, response) => {
    if (request.method !== 'GET' || request.url?.includes('X-Amz-Signature') !== true) {
      return false;
    }
    s3.intercept(null);
    response.writeHead(200, { etag: '"first"', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 2_000_000), () => response.destroy());
    return true;
  });
  await expect(fetchAsset()).rejects.toMatchObject({ code: 'asset.download_failed' });
  expect(statSync(join(dir, `${content.sha256}.part`)).size).toBeGreaterThan(0);
  await fetchAsset();
  expect(readFileSync(join(dir, content.sha256)).equals(bytes)).toBe(true);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { sketchManifest } from '../../test/support/manifests.ts';
import { startProxy } from '../../test/support/proxy.ts';
import { createShellDouble } from '../../test/support/shell-double.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { until } from '../../test/support/until.ts';

test('a name that leads to this box is not followed for a cloud that is elsewhere', async () => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const proxy = await startProxy();
  const { port } = new URL(cloud.url);
  const manifest = sketchManifest({ revision: 'r1', playlists: { pl: [['a', 1]] } });
  const assets = manifest.assets.map((asset) => {
    const media = cloud.addMedia(asset.id);
    return { ...asset, ...media, url: media.url.replace('127.0.0.1', 'localhost') };
  });
  cloud.setManifest({ ...manifest, assets });
  const dataDir = join(tempDir(), 'player');
  const shell = createShellDouble({
    // An address that nobody has: the proxy leads to the cloud, and is not asked for the file.
    server: `http://192.0.2.1:${port}`,
    dataDir,
    env: { http_proxy: `http://127.0.0.1:${proxy.port}`, no_proxy: 'localhost' },
  });
  onTestFinished(() => shell.end());
  const status = (): { faults: { code: string; facts: object }[] } =>
    JSON.parse(readFileSync(join(dataDir, 'status.json'), 'utf8'));

  await shell.start();
  cloud.confirm();
  const refused = () => status().faults.find(({ code }) => code === 'asset.not_allowed');
  await until('what becomes of the file', () => refused() || cloud.seen.mediaRequests.length > 0, 60_000);
  expect(cloud.seen.mediaRequests).toEqual([]);
  expect(refused()?.facts).toMatchObject({ asset_ids: ['asset_a'] });
}, 180_000);

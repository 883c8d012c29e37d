import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { buildManifest } from '../../test/support/manifests.ts';
import { startProxy } from '../../test/support/proxy.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

test('a host name that resolves to this machine is refused when the cloud is elsewhere', async () => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const proxy = await startProxy();
  const { port } = new URL(cloud.url);
  const manifest = buildManifest({ revision: 'r1', playlists: { pl: [['a', 1]] } });
  const assets = manifest.assets.map((asset) => {
    const media = cloud.addMedia(asset.id);
    return { ...asset, ...media, url: media.url.replace('127.0.0.1', 'localhost') };
  });
  cloud.setManifest({ ...manifest, assets });
  const dataDir = join(tempDir(), 'player');
  const shell = createFakeShell({
    // An unassigned address: the proxy forwards to the cloud and is not used for media.
    server: `http://192.0.2.1:${port}`,
    dataDir,
    env: { http_proxy: `http://127.0.0.1:${proxy.port}`, no_proxy: 'localhost' },
  });
  onTestFinished(() => shell.dispose());
  const status = (): { faults: { code: string; facts: object }[] } =>
    JSON.parse(readFileSync(join(dataDir, 'status.json'), 'utf8'));

  await shell.start();
  cloud.confirmPairing();
  const refused = () => status().faults.find(({ code }) => code === 'asset.not_allowed');
  await waitUntil(
    'the refusal or a request',
    () => refused() || cloud.received.mediaRequests.length > 0,
    60_000,
  );
  expect(cloud.received.mediaRequests).toEqual([]);
  expect(refused()?.facts).toMatchObject({ asset_ids: ['asset_a'] });
}, 180_000);

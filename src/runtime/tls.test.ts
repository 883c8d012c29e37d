import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EXPIRED_CERTIFICATE, TEST_AUTHORITY, VALID_CERTIFICATE } from '../../test/support/certificates.ts';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { sketchManifest } from '../../test/support/manifests.ts';
import { createShellDouble } from '../../test/support/shell-double.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { startTlsFront } from '../../test/support/tls-front.ts';
import { until } from '../../test/support/until.ts';

/** Tries to reach the cloud are spaced out. */
const WITHIN_MS = 60_000;

test('a certificate that has run out is told, stops nothing, and is over when there is a new one', async () => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const front = await startTlsFront(cloud.url, VALID_CERTIFICATE);
  onTestFinished(() => front.close());
  const manifest = sketchManifest({ revision: 'r1', playlists: { pl: [['a', 1]] } });
  const assets = manifest.assets.map((asset) => {
    const media = cloud.addMedia(asset.id);
    return { ...asset, ...media, url: media.url.replace(cloud.url, front.url) };
  });
  cloud.setManifest({ ...manifest, assets });
  const dir = tempDir();
  const authority = join(dir, 'authority.pem');
  writeFileSync(authority, TEST_AUTHORITY);
  const dataDir = join(dir, 'player');
  const shell = createShellDouble({
    server: front.url,
    dataDir,
    env: { NODE_EXTRA_CA_CERTS: authority },
  });
  onTestFinished(() => shell.end());
  const status = () => JSON.parse(readFileSync(join(dataDir, 'status.json'), 'utf8'));

  // Pairing, socket, manifest and media, all of it encrypted.
  await shell.start();
  cloud.confirm();
  await until('a picture', () => shell.stage.current);
  await until('the socket', () => cloud.sockets === 1);
  await shell.stop();

  front.show(EXPIRED_CERTIFICATE);
  shell.stage.reload();
  const [shown, told] = [shell.stage.shown.length, cloud.seen.plays.length];
  await shell.start();
  await until('the fault', () => status().faults[0]?.code === 'cloud.tls', WITHIN_MS);
  expect(status()).toMatchObject({ state: 'paired', faults: [{ facts: { reason: 'CERT_HAS_EXPIRED' } }] });
  await until('two pictures', () => shell.stage.shown.length >= shown + 2, WITHIN_MS);
  expect(cloud.seen.plays).toHaveLength(told);
  await shell.stop();

  front.show(VALID_CERTIFICATE);
  await shell.start();
  await until(
    'the end of the fault',
    () => status().connection === 'online' && status().faults.length === 0,
    WITHIN_MS,
  );
  await until('the plays made meanwhile', () => cloud.seen.plays.length > told, WITHIN_MS);
  expect(cloud.seen.pairings).toBe(1);
}, 400_000);

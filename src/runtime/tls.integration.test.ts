import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EXPIRED_CERTIFICATE, TEST_AUTHORITY, VALID_CERTIFICATE } from '../../test/support/certificates.ts';
import { startFakeCloud } from '../../test/support/fake-cloud.ts';
import { buildManifest } from '../../test/support/manifests.ts';
import { createFakeShell } from '../../test/support/fake-shell.ts';
import { tempDir } from '../../test/support/temp-dir.ts';
import { startTlsProxy } from '../../test/support/tls-proxy.ts';
import { waitUntil } from '../../test/support/wait-until.ts';

/** Longer than the backoff between attempts to reach the cloud. */
const WITHIN_MS = 60_000;

test('an expired certificate raises a fault, playback continues, and a new one clears it', async () => {
  const cloud = await startFakeCloud();
  onTestFinished(() => cloud.stop());
  const front = await startTlsProxy(cloud.url, VALID_CERTIFICATE);
  onTestFinished(() => front.close());
  const manifest = buildManifest({ revision: 'r1', playlists: { pl: [['a', 1]] } });
  const assets = manifest.assets.map((asset) => {
    const media = cloud.addMedia(asset.id);
    return { ...asset, ...media, url: media.url.replace(cloud.url, front.url) };
  });
  cloud.setManifest({ ...manifest, assets });
  const dir = tempDir();
  const authority = join(dir, 'authority.pem');
  writeFileSync(authority, TEST_AUTHORITY);
  const dataDir = join(dir, 'player');
  const shell = createFakeShell({
    server: front.url,
    dataDir,
    env: { NODE_EXTRA_CA_CERTS: authority },
  });
  onTestFinished(() => shell.dispose());
  const status = () => JSON.parse(readFileSync(join(dataDir, 'status.json'), 'utf8'));

  // Pairing, socket, manifest and media, all over TLS.
  await shell.start();
  cloud.confirmPairing();
  await waitUntil('a picture', () => shell.stage.current);
  await waitUntil('the socket', () => cloud.socketCount === 1);
  await shell.stop();

  front.setCertificate(EXPIRED_CERTIFICATE);
  shell.stage.reload();
  const [shown, reportedCount] = [shell.stage.shown.length, cloud.received.plays.length];
  await shell.start();
  await waitUntil('the fault', () => status().faults[0]?.code === 'cloud.tls', WITHIN_MS);
  expect(status()).toMatchObject({ state: 'paired', faults: [{ facts: { reason: 'CERT_HAS_EXPIRED' } }] });
  await waitUntil('two pictures', () => shell.stage.shown.length >= shown + 2, WITHIN_MS);
  expect(cloud.received.plays).toHaveLength(reportedCount);
  await shell.stop();

  front.setCertificate(VALID_CERTIFICATE);
  await shell.start();
  await waitUntil(
    'the end of the fault',
    () => status().connection === 'online' && status().faults.length === 0,
    WITHIN_MS,
  );
  await waitUntil('the plays made meanwhile', () => cloud.received.plays.length > reportedCount, WITHIN_MS);
  expect(cloud.received.pairingStarts).toBe(1);
}, 400_000);

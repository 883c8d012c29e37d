import { Fault } from '@placard/protocol';
import type { Manifest, ManifestAsset } from '@placard/protocol';

/**
 * Files are allowed from the cloud's own host and from the media hosts of the manifest. A manifest of an older cloud
 * has no list: then any host is allowed, and only the adapter that connects checks the address.
 *
 * @param url of the asset, or where its server sends the player to
 * @param manifest the manifest that needs the file
 * @param server URL of the cloud
 * @throws Fault `asset.not_allowed`
 */
export function requireMediaHost(
  asset: ManifestAsset,
  manifest: Manifest | null,
  server: string,
  url = asset.url,
): void {
  const hosts = manifest?.media_hosts;
  if (!hosts) {
    return;
  }
  const { host } = new URL(url);
  if (host === new URL(server).host || hosts.includes(host)) {
    return;
  }
  throw new Fault('asset.not_allowed', 'later', { asset_id: asset.id, host });
}

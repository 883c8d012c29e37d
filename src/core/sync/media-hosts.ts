import { Fault, type Manifest, type ManifestAsset } from '@placard/protocol';

/**
 * Files come from the cloud's own host and from those that its manifest names for them. A manifest of an older cloud
 * names none: then any host will do, and only where it leads is looked at, by whoever connects.
 *
 * @param manifest the one that wants the file
 * @param server address of the cloud
 * @throws Fault `asset.not_allowed`
 */
export function requireMediaHost(asset: ManifestAsset, manifest: Manifest | null, server: string): void {
  const hosts = manifest?.media_hosts;
  if (!hosts) return;
  const { host } = new URL(asset.url);
  if (host === new URL(server).host || hosts.includes(host)) return;
  throw new Fault('asset.not_allowed', 'later', { asset_id: asset.id, host });
}

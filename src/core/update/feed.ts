import { compareVersions, type ReleaseManifest } from './manifest.ts';

/** `beta` boxes take what is offered to `stable` ones as well. */
export type Channel = 'stable' | 'beta';

/** A release on offer. */
export interface Release {
  manifest: ReleaseManifest;
  /** The signed text that `manifest` was read from; it goes to the privileged helper unchanged. */
  manifestText: string;
  /** Ed25519 over the text, base64. */
  signature: string;
  /** Where the package is; relative to the address of the feed. */
  url: string;
  channel: Channel;
  /** How much of the fleet may take it, 0 to 100. */
  rolloutPercent: number;
}

export interface Feed {
  /** When it was signed, milliseconds since 1970 by the publisher's clock; each is later than the one before. */
  issuedAtMs: number;
  releases: readonly Release[];
  /** Versions withdrawn by the publisher. A box that runs one stays on it until there is a newer one. */
  blocked: readonly string[];
}

/** What the box is, as far as updates go. */
export interface Installed {
  package: string;
  version: string;
  arch: string;
  channel: Channel;
  deviceId: string;
  /** Versions that were tried on this box and failed. */
  blocked: readonly string[];
}

export type UpdateChoice =
  | { kind: 'up_to_date' }
  /** A newer release is there, but not yet for this box. */
  | { kind: 'not_in_rollout'; version: string }
  /** A newer release is there, but was withdrawn or has failed here. */
  | { kind: 'blocked'; version: string }
  | { kind: 'update'; release: Release };

/**
 * The newest release that this box may take: its own package and architecture, its channel, newer than what runs,
 * not blocked by the publisher or by the box, and rolled out to it. When none is, why the newest one is not.
 */
export function chooseRelease(feed: Feed, box: Installed): UpdateChoice {
  const newer = feed.releases
    .filter(
      ({ manifest, channel }) =>
        manifest.package === box.package &&
        manifest.arch === box.arch &&
        (channel === 'stable' || box.channel === 'beta') &&
        compareVersions(manifest.version, box.version) > 0,
    )
    .toSorted((a, b) => compareVersions(b.manifest.version, a.manifest.version));
  const isBlocked = (version: string) => feed.blocked.includes(version) || box.blocked.includes(version);
  const release = newer.find((each) => !isBlocked(each.manifest.version) && isInRollout(box.deviceId, each));
  if (release) return { kind: 'update', release };
  const newest = newer[0]?.manifest.version;
  if (newest === undefined) return { kind: 'up_to_date' };
  return { kind: isBlocked(newest) ? 'blocked' : 'not_in_rollout', version: newest };
}

const isInRollout = (deviceId: string, release: Release): boolean =>
  rolloutPosition(deviceId, release.manifest.version) * 100 < release.rolloutPercent;

/**
 * Where a box stands in the queue for a version: 0 ≤ position < 1. The version takes part, so that it is not always
 * the same boxes that go first; a file of random numbers would not do, because cloned disks share it.
 */
export function rolloutPosition(deviceId: string, version: string): number {
  // FNV-1a, then the finalizer of MurmurHash3, because FNV alone leaves similar names close together.
  let hash = 0x811c9dc5;
  for (const char of `${deviceId}\n${version}`) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

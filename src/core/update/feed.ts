import { hashText, RANK_COUNT } from '@placard/schedule';
import { compareVersions } from './release-manifest.ts';
import type { ReleaseManifest } from './release-manifest.ts';

/** Devices on `beta` also get stable releases. */
export type Channel = 'stable' | 'beta';

/** A release on offer. */
export interface Release {
  manifest: ReleaseManifest;
  /** The signed text that `manifest` was parsed from; the update helper gets it unchanged. */
  manifestText: string;
  /** Ed25519 over the text, base64. */
  signature: string;
  /** URL of the package; relative to the URL of the feed. */
  url: string;
  channel: Channel;
  /** Share of the devices that may install it, 0 to 100. */
  rolloutPercent: number;
}

export interface UpdateFeed {
  /** When it was signed, milliseconds since 1970 by the publisher's clock; each is later than the one before. */
  issuedAtMs: number;
  releases: readonly Release[];
  /** Versions withdrawn by the publisher. A device that runs one stays on it until there is a newer one. */
  blocked: readonly string[];
}

/** The installed player, as far as updates are concerned. */
export interface InstalledPlayer {
  package: string;
  version: string;
  arch: string;
  channel: Channel;
  deviceId: string;
  /** Versions that failed on this device. */
  blocked: readonly string[];
}

export type UpdateChoice =
  | { kind: 'up_to_date' }
  /** There is a newer release, but not yet for this device. */
  | { kind: 'not_in_rollout'; version: string }
  /** There is a newer release, but it was withdrawn or has failed here. */
  | { kind: 'blocked'; version: string }
  | { kind: 'update'; release: Release };

/**
 * The newest release that this device may install: same package and architecture, its channel, newer than the running
 * version, not blocked by the publisher or locally, and rolled out to it. When there is none, why the newest is not.
 */
export function chooseRelease(feed: UpdateFeed, installed: InstalledPlayer): UpdateChoice {
  const newerReleases = feed.releases
    .filter(
      ({ manifest, channel }) =>
        manifest.package === installed.package &&
        manifest.arch === installed.arch &&
        (channel === 'stable' || installed.channel === 'beta') &&
        compareVersions(manifest.version, installed.version) > 0,
    )
    .toSorted((a, b) => compareVersions(b.manifest.version, a.manifest.version));
  const isBlocked = (version: string) =>
    feed.blocked.includes(version) || installed.blocked.includes(version);
  const release = newerReleases.find(
    (each) => !isBlocked(each.manifest.version) && isInRollout(installed.deviceId, each),
  );
  if (release) {
    return { kind: 'update', release };
  }
  const newest = newerReleases[0]?.manifest.version;
  if (newest === undefined) {
    return { kind: 'up_to_date' };
  }
  return { kind: isBlocked(newest) ? 'blocked' : 'not_in_rollout', version: newest };
}

const isInRollout = (deviceId: string, release: Release): boolean =>
  rolloutPosition(deviceId, release.manifest.version) * 100 < release.rolloutPercent;

/**
 * Position of a device in the rollout of a version: 0 ≤ position < 1. It depends on the version, so that it is not
 * always the same devices that go first; a stored random number would not do, because cloned disks share it.
 */
export const rolloutPosition = (deviceId: string, version: string): number =>
  hashText(`${deviceId}\n${version}`) / RANK_COUNT;

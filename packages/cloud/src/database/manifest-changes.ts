import { targetKey } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import type { TouchedContent } from './manifest-inputs.ts';

/** What a write has touched of what manifests are built from: also what it has created or deleted. */
export type ManifestChange =
  | { playlistId: string }
  /** The file of an asset; not of its playlists, which are changes of their own. */
  | { assetId: string }
  | { scheduleIds: readonly string[] }
  /** The time zone of a store. */
  | { storeId: string }
  /** Something was deployed on these targets, or no longer is. */
  | { deployedTargets: readonly Target[] }
  /** The device's own settings, its store or its tags. */
  | { deviceId: string }
  /** The time zone of the organization. */
  | 'settings';

/** Collects the changes of a transaction. */
export function createManifestChanges() {
  const playlistIds = new Set<string>();
  const assetIds = new Set<string>();
  const scheduleIds = new Set<string>();
  const storeIds = new Set<string>();
  const deployedTargets = new Map<string, Target>();
  const deviceIds = new Set<string>();
  let hasNewSettings = false;

  return {
    add(change: ManifestChange): void {
      if (change === 'settings') {
        hasNewSettings = true;
      } else if ('playlistId' in change) {
        playlistIds.add(change.playlistId);
      } else if ('assetId' in change) {
        assetIds.add(change.assetId);
      } else if ('storeId' in change) {
        storeIds.add(change.storeId);
      } else if ('deviceId' in change) {
        deviceIds.add(change.deviceId);
      } else if ('scheduleIds' in change) {
        for (const id of change.scheduleIds) {
          scheduleIds.add(id);
        }
      } else {
        for (const target of change.deployedTargets) {
          deployedTargets.set(targetKey(target), target);
        }
      }
    },
    deviceIds: (): readonly string[] => [...deviceIds],
    content: (): TouchedContent => ({
      hasNewSettings,
      playlistIds,
      assetIds,
      scheduleIds,
      storeIds,
      deployedTargets,
    }),
    hasContent: (): boolean =>
      hasNewSettings || [playlistIds, scheduleIds, storeIds, deployedTargets].some(({ size }) => size > 0),
  };
}

export type ManifestChanges = ReturnType<typeof createManifestChanges>;

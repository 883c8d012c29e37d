import type { Fault, FaultCode, ManifestAsset } from '@placard/protocol';
import type { SyncProblem } from '../../core/sync/sync-plan.ts';
import type { PlayerState } from '../base/player-state.ts';

export type SyncFaults = ReturnType<typeof createSyncFaults>;

const CODES: readonly FaultCode[] = [
  'asset.gone',
  'asset.not_allowed',
  'asset.hash_mismatch',
  'asset.download_failed',
  'disk.full',
  'disk.readonly',
];
/** The number of examples in the details of a fault. */
const MAX_EXAMPLES = 10;

/** Reports what keeps the manifests and their files from being synced. */
export function createSyncFaults({ playerState }: { playerState: PlayerState }) {
  const assetFaults = playerState.createFaultSource();
  const manifestFaults = playerState.createFaultSource();
  const unknownContentFaults = playerState.createFaultSource();
  return {
    /** The current problems of the assets, by hash, replacing the previous ones. */
    reportAssets(problems: ReadonlyMap<string, SyncProblem>, assets: readonly ManifestAsset[]) {
      if (problems.size === 0) {
        return assetFaults.clear();
      }
      const assetIdsByHash = new Map(assets.map((asset) => [asset.sha256, asset.id]));
      for (const code of CODES) {
        const ids = [...problems].flatMap(([sha256, problem]) =>
          problem.code === code ? [assetIdsByHash.get(sha256) ?? sha256] : [],
        );
        const details = { asset_ids: ids.slice(0, MAX_EXAMPLES), count: ids.length };
        assetFaults.setFault(code, ids.length === 0 ? null : details);
      }
    },
    /** Nothing could be synced, for example because the disk rejects writes. */
    reportBlocked: ({ code, details }: Fault) => assetFaults.raise(code, details),
    /** The latest fetch of the manifest failed because of this; null: it succeeded. */
    reportManifest(fault: Fault | null) {
      if (fault === null) {
        manifestFaults.clear();
      } else if (CODES.includes(fault.code)) {
        manifestFaults.raise(fault.code, fault.details);
      }
    },
    /** Parts of the manifest that this version does not know. */
    reportUnknownContent(parts: readonly string[]) {
      const details = { unknown: parts.slice(0, MAX_EXAMPLES), count: parts.length };
      unknownContentFaults.setFault('manifest.unknown', parts.length === 0 ? null : details);
    },
    clear() {
      for (const source of [assetFaults, manifestFaults, unknownContentFaults]) {
        source.clear();
      }
    },
  };
}

import type { Fault, FaultCode, ManifestAsset } from '@placard/protocol';
import type { SyncProblem } from '../../core/sync/sync-plan.ts';
import type { PlayerState } from '../base/player-state.ts';

/** Reports what keeps the manifests and their files from being synced. */
export interface SyncFaults {
  /** The current problems of the assets, by hash, replacing the previous ones. */
  reportAssets(problems: ReadonlyMap<string, SyncProblem>, assets: readonly ManifestAsset[]): void;
  /** Nothing could be synced, for example because the disk rejects writes. */
  reportBlocked(fault: Fault): void;
  /** The latest fetch of the manifest failed because of this; null: it succeeded. */
  reportManifest(fault: Fault | null): void;
  /** Parts of the manifest that this version does not know. */
  reportUnknownContent(parts: readonly string[]): void;
  clear(): void;
}

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

export function createSyncFaults({ playerState }: { playerState: PlayerState }): SyncFaults {
  const assetFaults = playerState.createFaultSource();
  const manifestFaults = playerState.createFaultSource();
  const unknownContentFaults = playerState.createFaultSource();
  return {
    reportAssets(problems, assets) {
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
    reportBlocked: ({ code, details }) => assetFaults.raise(code, details),
    reportManifest(fault) {
      if (fault === null) {
        manifestFaults.clear();
      } else if (CODES.includes(fault.code)) {
        manifestFaults.raise(fault.code, fault.details);
      }
    },
    reportUnknownContent(parts) {
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

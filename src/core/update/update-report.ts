import type { UpdateChoice } from './feed.ts';

/** Why an update was not handed to the update helper; the helper's own failures have other codes. */
export type UpdateFailure =
  /** No feed URL or no release key is configured: this player is not updated over the network. */
  | 'not_configured'
  /** The feed or the package could not be downloaded; the next check resumes the download. */
  | 'download_failed'
  /** The feed is not signed by the release key. */
  | 'bad_signature'
  /** The feed is signed, but cannot be parsed. */
  | 'bad_feed'
  /** The feed is older than one seen before: a possible replay. */
  | 'old_feed'
  /** The package does not have the signed hash. */
  | 'wrong_hash'
  /** There is not enough disk space for three times the package. */
  | 'no_space'
  /** No update helper is installed on this machine. */
  | 'no_helper'
  /** The update helper is installing an update. */
  | 'busy'
  /** The update helper did not accept the package. */
  | 'helper_silent';

/** Progress or outcome of an update: the result of UPDATE_CHECK. */
export interface UpdateReport {
  outcome: UpdateOutcome;
  from: string;
  /** The newer version, if any. */
  to: string | null;
  /**
   * Why it failed or was rolled back (`UpdateFailure` or a code of the update helper); with `up_to_date` why a newer
   * version is not installed: `not_in_rollout`, `blocked`.
   */
  code: string | null;
  /** One sentence for the operator. */
  detail: string;
}

export type UpdateOutcome =
  /** No newer version for this device. */
  | 'up_to_date'
  | 'downloading'
  /** Downloaded and verified; waits for the maintenance window. */
  | 'staged'
  /** Handed to the update helper: it is being installed, or on trial. */
  | 'installing'
  /** The new version runs and is healthy. */
  | 'confirmed'
  /** The previous version runs again. */
  | 'rolled_back'
  | 'failed';

/** The report of a check that ends without a download. */
export function createNoUpdateReport(
  choice: Exclude<UpdateChoice, { kind: 'update' }>,
  from: string,
): UpdateReport {
  if (choice.kind === 'up_to_date') {
    return { outcome: 'up_to_date', from, to: null, code: null, detail: `${from} is the newest version.` };
  }
  const { kind, version: to } = choice;
  const why =
    kind === 'blocked'
      ? 'was withdrawn or has failed on this device'
      : 'is not yet rolled out to this device';
  return {
    outcome: 'up_to_date',
    from,
    to,
    code: kind,
    detail: `${to} ${why}; this device stays on ${from}.`,
  };
}

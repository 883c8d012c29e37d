import type { UpdateChoice } from './feed.ts';

/** Why an update was not handed to the update helper, for the operator; the helper's own failures have other codes. */
export const FAILURE_DETAILS = {
  not_configured: 'This player is not updated over the network: no feed or no release key is set.',
  download_failed:
    'The update server is unreachable or closed the connection; the next check resumes the download.',
  bad_signature: 'The list of releases is not signed by the release key; nothing was installed.',
  bad_feed: 'The list of releases cannot be read; check the address of the feed.',
  old_feed:
    'The list of releases is older than one that this player has already received; nothing was installed.',
  wrong_hash: 'The package does not match its signed hash; it was deleted.',
  no_space: 'Not enough disk space for the update; free three times the size of the package.',
  no_helper: 'This player was not installed from a package, so it cannot install updates.',
  busy: 'An update is being installed or on trial; check again later.',
  helper_silent: 'The update helper does not take the package; see "systemctl status placard-update".',
};

export type UpdateFailure = keyof typeof FAILURE_DETAILS;

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

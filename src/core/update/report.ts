import type { UpdateChoice } from './feed.ts';

/** Why a check could not hand an update over; what the privileged helper refuses has codes of its own. */
export type UpdateFailure =
  /** No feed address is set, or no release key is built in: this player is not updated over the network. */
  | 'not_configured'
  /** The feed or the package could not be fetched; the next check goes on where this one ended. */
  | 'download_failed'
  /** The feed is not signed by the release key. */
  | 'bad_signature'
  /** The feed is signed, but cannot be read. */
  | 'bad_feed'
  /** The feed is older than one that was seen here: somebody plays an old one back. */
  | 'old_feed'
  /** The package is not the one that was signed. */
  | 'wrong_hash'
  /** There is no room for three times the package. */
  | 'no_space'
  /** There is no privileged helper on this machine to install it. */
  | 'no_helper'
  /** The helper is at work on an update. */
  | 'busy'
  /** The helper did not take the package. */
  | 'helper_silent';

/** How far an update has come, or how it ended: the result of UPDATE_CHECK. */
export interface UpdateReport {
  outcome: UpdateOutcome;
  from: string;
  /** The newer version that it is about, if any. */
  to: string | null;
  /**
   * Why it failed or was taken back, by this side (`UpdateFailure`) or by the helper; with `up_to_date` why a newer
   * version is not taken: `not_in_rollout`, `blocked`.
   */
  code: string | null;
  /** One sentence for the operator. */
  detail: string;
}

export type UpdateOutcome =
  /** Nothing newer for this box. */
  | 'up_to_date'
  | 'downloading'
  /** Fetched and proven; it waits for the maintenance window. */
  | 'staged'
  /** Handed to the privileged helper: it is being installed, or on trial. */
  | 'installing'
  /** The new version runs and is well. */
  | 'confirmed'
  /** The version before runs again. */
  | 'rolled_back'
  | 'failed';

/** The report of a check that ends without a download. */
export function reportChoice(choice: Exclude<UpdateChoice, { kind: 'update' }>, from: string): UpdateReport {
  if (choice.kind === 'up_to_date')
    return { outcome: 'up_to_date', from, to: null, code: null, detail: `${from} is the newest version.` };
  const { kind, version: to } = choice;
  const why =
    kind === 'blocked' ? 'was withdrawn or has failed on this box' : 'is not yet offered to this box';
  return { outcome: 'up_to_date', from, to, code: kind, detail: `${to} ${why}; it stays on ${from}.` };
}

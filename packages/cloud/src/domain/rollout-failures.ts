/**
 * Whether a failure says that the version does not work, by its code: otherwise it is the device, its feed or its network. One that is
 * not listed, as of newer players, says so.
 */
export const IS_OF_THE_VERSION: Readonly<Record<string, boolean>> = {
  // Of the cloud
  expired: false,
  not_offered: false,
  other_version: false,
  rolled_back: true,
  failed: true,

  // Of the player
  not_configured: false,
  no_helper: false,
  busy: false,
  download_failed: false,
  bad_feed: false,
  old_feed: false,
  helper_silent: false,
  no_space: false,
  bad_signature: true,
  wrong_hash: true,
  unknown: true,

  // Of the update helper
  no_release_key: false,
  blocked: false,
  not_an_upgrade: false,
  incomplete: false,
  changed_by_hand: false,
  torn_state: false,
  bad_manifest: true,
  wrong_package: true,
  wrong_arch: true,
  wrong_size: true,
  wrong_contents: true,
  no_way_back: true,
};

/** Codes of failures that say nothing about the version. */
export const NOT_OF_THE_VERSION: readonly string[] = Object.keys(IS_OF_THE_VERSION).filter(
  (code) => IS_OF_THE_VERSION[code] === false,
);

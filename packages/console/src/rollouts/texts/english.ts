import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');
const SCREENS = { one: '# screen', other: '# screens' };

/** What is said of a cause; a kind of boards is empty for all. */
interface Worse {
  /** What was measured. */
  what: string;
  kind: string;
  before: string;
  after: string;
  updated: number;
  othersBefore: string;
  othersAfter: string;
  others: number;
}
interface NotComingBack {
  silent: string;
  told: number;
  kind: string;
  othersSilent: string;
  others: number;
}
interface BrokenUpdate {
  broken: string;
  answered: number;
  kind: string;
}
interface TooFewUpdated {
  alive: string;
  chosen: number;
  failed: string;
  told: string;
}

export const english = {
  title: 'Player updates',
  notForBound:
    'You work for some stores. A rollout concerns the screens of all stores, so rollouts are not shown to you.',
  rollouts: 'Rollouts',
  none: 'No version was rolled out yet',
  noneHint:
    'A rollout gives a new version of the player to a few screens first, compares them with the others, and goes on only while nothing is worse. It needs an update feed that offers the version to all screens, and screens with an older version.',
  start: 'Start a rollout',
  startAfter: 'The next rollout can be started when this one has ended.',
  began: (time: string) => `began ${time}`,

  // States
  selecting: 'Screens are being chosen',
  atRing: (ring: string, rings: string, share: string) => `ring ${ring} of ${rings} (up to ${share})`,
  running: (at: string) => `Running: ${at}`,
  held: (at: string) => `Waits for a decision: ${at}`,
  stopped: (at: string) => `Stopped by itself: ${at}`,
  stoppedByHand: (at: string) => `Stopped by hand: ${at}`,
  stoppedAt: (at: string) => `Stopped: ${at}`,
  stoppedBeforeBeginning: 'Stopped by hand before the first ring',
  finished: 'Finished',
  updatedOfRing: (updated: string, chosen: string) => `${updated} of ${chosen} updated in this ring`,
  updatedOfAll: (updated: string, fleet: string) => `${updated} of ${fleet} updated`,

  // One rollout
  state: 'State',
  whatToDo: 'What to do',
  screens: 'Screens',
  reached: 'Screens with an older version',
  beganAt: 'Began',
  endedAt: 'Ended',
  heldFor: 'Comparison of each ring',
  holdsUpdates: 'Until it has finished, no screen of the organization updates of its own accord.',
  holdsUntilAll:
    'No screen of the organization updates of its own accord until this rollout is deleted, or one for all screens has finished.',
  selfUpdating: (count: number) =>
    plural(count, {
      one: '# screen has a player that is too old to wait for its turn: it also updates of its own accord.',
      other:
        '# screens have players that are too old to wait for their turn: they also update of their own accord.',
    }),
  stop: 'Stop',
  stopQuestion: (version: string) => `Stop the rollout of ${version}?`,
  stopHint:
    'No further screen is told to update. Screens that have the version keep it. A rollout that was stopped cannot be continued.',
  continue: 'Continue with the next ring',
  continueQuestion: (count: number) =>
    plural(count, { one: 'Tell # more screen to update?', other: 'Tell # more screens to update?' }),
  continueHint: 'What was told cannot be taken back from screens that have received it.',
  delete: 'Delete',
  deleteQuestion: (version: string) => `Delete the rollout of ${version}?`,
  deleteHint: 'Its list of screens is lost. Screens keep the version that they have.',
  deleteHolding: 'Screens then update of their own accord again, as their feed says.',

  // Why
  causes: {
    stopped_by_hand: (name: string) => `${name} stopped it.`,
    worse: ({ what, kind, before, after, updated, othersBefore, othersAfter, others }: Worse) =>
      `${what}${kind === '' ? '' : ` (${kind})`}: ${before} before the update, ${after} after it (${plural(updated, SCREENS)}). ` +
      `Without the update: ${othersBefore} before, ${othersAfter} now (${plural(others, SCREENS)}).`,
    not_coming_back: ({ silent, told, kind, othersSilent, others }: NotComingBack) =>
      `${silent} of ${plural(told, SCREENS)}${kind === '' ? '' : ` (${kind})`} that were told to update did not come back. ` +
      `Of ${plural(others, SCREENS)} that were not told, ${othersSilent} are silent.`,
    broken_update: ({ broken, answered, kind }: BrokenUpdate) =>
      `On ${broken} of ${plural(answered, SCREENS)}${kind === '' ? '' : ` (${kind})`} the version could not be installed or did not work. ` +
      'They run the version before.',
    nothing_compared: 'Nothing could be compared: too few screens have reported enough.',
    too_few_updated: ({ alive, chosen, failed, told }: TooFewUpdated) =>
      `Only ${alive} of ${plural(chosen, SCREENS)} of this ring run the version and were online in the last day. ` +
      `Failed: ${failed}. Nothing is known of: ${told}.`,
    nothing_older: 'No screen that it reaches has an older version.',
  },
  advice: {
    stopped_by_hand: '',
    worse:
      'Block the version in your update feed. Then roll out a corrected version with a higher number; until then these screens keep the version.',
    not_coming_back:
      'Look at the silent screens on site: power, network, picture. The list of devices has them with the status “Offline”. Block the version in your update feed, then roll out a corrected version with a higher number.',
    broken_update:
      'The list of screens below says why each has failed. Block the version in your update feed, then roll out a corrected version with a higher number.',
    nothing_compared:
      'Look at some screens of this ring. Continue if they are well. Fleets below about 300 screens are too small for most comparisons.',
    too_few_updated: 'Look at the screens that failed or did not answer. Then continue or stop.',
    nothing_older: 'Check the version, and which screens you chose.',
  },

  // Rings
  rings: 'Rings',
  ringState: {
    later: 'Its turn comes later',
    notReached: 'Not reached',
    telling: 'Screens are being told to update',
    answering: 'Told; waits for answers',
    comparing: 'Being compared',
    held: 'Waits for a decision',
    stopped: 'Stopped here',
    done: 'Done',
  },
  next: {
    afterComparison: (time: string) =>
      `The next ring begins by itself after ${time} of comparison, unless something is worse.`,
    at: (time: string) =>
      `The next ring begins by itself ${time} at the earliest, unless something is worse.`,
    overdue:
      'Fewer than half of the screens of this ring run the version. If that stays so for two days, the rollout waits for a decision.',
    lastRing: (time: string) =>
      `It finishes when all screens have answered, at the latest ${time} after the last was told. Only updates that fail stop it now.`,
  },
  counts: {
    waiting: (count: number) => plural(count, { other: '# not told' }),
    told: (count: number) => plural(count, { other: '# told' }),
    failed: (count: number) => plural(count, { other: '# failed' }),
  },
  updatedOf: (updated: string, chosen: number) => `${updated} of ${plural(chosen, SCREENS)}`,
  ringOf: (number: string, share: string) => `Ring ${number}: up to ${share} of the screens`,

  // Comparison
  comparison: 'Before and after',
  comparedSince: (time: string) => `since ${time}`,
  notComparedYet:
    'The screens of this ring are compared from about an hour after the last was told, once most have answered.',
  lastNotCompared: 'The last ring has no other screens to be compared with.',
  nothingReported: 'Too few screens have reported enough for a comparison.',
  endedBefore: 'It ended before the screens of this ring were compared.',
  notEnoughYet: 'The screens of this ring have not reported enough yet.',
  measure: 'Measure',
  withUpdate: 'With the update',
  withoutUpdate: 'Without it',
  measures: {
    restarts: 'Restarts per day',
    faults: 'Faults per day',
    dropped_frames: 'Dropped frames',
    start_time: 'Time of a start',
  },
  kindScreens: (updated: number, others: number) =>
    `${plural(updated, { other: '# updated' })}, ${plural(others, { one: '# other', other: '# others' })}`,
  rareKinds: 'Rare boards',
  unknownShell: 'unknown shell',
  stoppedForThis: 'Stopped for this',

  // Screens
  status: {
    waiting: 'Not told',
    told: 'Told',
    updated: 'Has the version',
    failed: 'Failed',
    removed: 'Removed',
  },
  anyStatus: 'All screens',
  showScreens: 'Show',
  noScreens: 'No screen is in this state.',
  removedScreen: 'Removed screen',
  ring: (number: string) => `ring ${number}`,
  toldAt: (time: string) => `told ${time}`,
  updatedAt: (time: string) => `updated ${time}`,
  codes: {
    rolled_back: 'The version did not work there, so the version before runs again',
    not_offered: 'Its feed does not offer it the version: look at percentage, channel and architecture',
    expired: 'It was off for a week',
    other_version: 'Its feed offered another version',
    not_configured: 'It has no update feed or no release key',
    no_helper: 'It was not installed from a package, so it cannot install updates',
    no_release_key: 'Its update helper has no release key',
    busy: 'Another update was being installed there',
    download_failed: 'The download failed: check its network and the update server',
    helper_silent: 'Its update helper does not answer',
    bad_feed: 'Its list of releases cannot be read: check the address of the feed',
    old_feed: 'Its list of releases is older than one that it has had: check caches in between',
    bad_signature: 'The signature is wrong; nothing was installed',
    bad_manifest: 'The description of the package is not valid',
    wrong_package: 'The package is that of another program',
    wrong_arch: 'The package is for another architecture',
    wrong_contents: 'The package does not contain what its description says',
    wrong_size: 'The package does not have the size that its description says',
    wrong_hash: 'The package does not match its signed hash',
    incomplete: 'Files of the update were missing',
    not_an_upgrade: 'It has this version or a newer one',
    blocked: 'The version is blocked: the feed has withdrawn it, or it has failed there before',
    no_space: 'Not enough disk space',
    no_way_back: 'The version before could not be kept or restored',
    changed_by_hand: 'Somebody changed the installation by hand',
    torn_state: 'Its disk has lost the state of the update',
    failed: 'It failed for an unknown reason',
    unknown: 'It failed for an unknown reason',
  },

  // Start
  version: 'Version',
  versionHint: 'Your update feed must offer it to all screens (100 %), and no newer one.',
  matches: (count: number) =>
    plural(count, {
      one: '# screen matches; it is updated if its version is older.',
      other: '# screens match; those with an older version are updated.',
    }),
  more: 'Name, rings and duration',
  nameHint: 'May be empty',
  ringsHint:
    'Share of the screens that have the version after each ring. The last ring is compared with nothing.',
  holdHint: 'The longer, the smaller the change for the worse that is found.',
  plan: (first: string, others: string, time: string) =>
    `Up to ${first} of the screens first, then ${others}: each after ${time} of comparison and by itself, unless something is worse.`,
  planAll: 'All screens, one after the other; they are compared with nothing.',
  otherBegan: 'Another rollout has begun:',
  startNote: 'Screens are also told during opening hours, and each is black for one start.',
};

export type RolloutTexts = typeof english;

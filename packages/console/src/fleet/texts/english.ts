import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');

export const english = {
  attention: 'Needs attention',
  offlineDevices: (count: string) => `${count} offline`,
  offlineAdvice: 'Check power and network of these screens. They keep playing what they have stored.',
  unknownFault: 'This version of the console does not know the fault. Open a screen to see what it reports.',
  behindDevices: (count: number) =>
    plural(count, { one: '# online, behind its revision', other: '# online, behind their revision' }),
  behindAdvice:
    'They do not show yet what they should. If it lasts, open a screen and look at its storage and faults.',
  oldVersion: (count: number, version: string) =>
    plural(count, { one: `# has version ${version}`, other: `# have version ${version}` }),
  oldVersionAdvice: (newest: string) => `The newest in use is ${newest}. Let them look for updates.`,
  updates: 'Player updates',
  rolloutHeld: (version: string) => `The rollout of version ${version} waits for a decision`,
  rolloutHeldAdvice: 'Look at the reason, then continue or stop the rollout.',
  rolloutStopped: (version: string) => `The rollout of version ${version} was stopped`,
  rolloutForSome: (version: string) => `The rollout of version ${version} has finished for some screens`,
  rolloutHoldsAdvice:
    'Until it is deleted or one for all screens has finished, no screen updates of its own accord.',
  showThem: 'Show them',
  allVersions: 'All versions',
  versionIs: 'Version',
  faultIs: 'Fault',
  revision: 'Revision',
  behind: 'Behind its revision',
  current: 'Shows its revision',
  moreFilters: 'Fault or version',
  list: 'List',
  tiles: 'Tiles',
  layout: 'Layout',
  select: (name: string) => `Select ${name}`,
  selected: (count: string) => `${count} selected`,
  actOnSelected: 'Act on the selected',
  actOnAll: (count: string) => `Act on all ${count}`,
  clearSelection: 'Clear the selection',
  bulkTitle: (count: number) =>
    plural(count, { one: 'Do the same to # device', other: 'Do the same to # devices' }),
  action: 'Action',
  addTags: 'Add tags',
  removeTags: 'Remove tags',
  setStore: 'Move to a store',
  setOrientation: 'Set the orientation',
  deploy: 'Deploy a playlist',
  playlist: 'Playlist',
  tagsHint: 'Separated by commas',
  checking: 'Checking what the screens can play …',
  start: 'Start',
  stop: 'Leave out the rest',
  progress: (done: string, total: string) => `${done} of ${total} done`,
  failedCount: (count: string) => `${count} failed`,
  finished: 'Finished',
  cancelled: 'Stopped; what was done stays as it is',
  running: 'Goes on in the background, also when this is closed',
  views: 'Views',
  saveView: 'Save this view',
  viewName: 'Name of the view',
  removeView: (name: string) => `Remove ${name}`,
  noViews: 'No view is saved in this browser yet.',
};

export type FleetTexts = typeof english;

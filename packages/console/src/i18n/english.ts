import { pluralsOf } from './plural.ts';

const plural = pluralsOf('en');

/** Texts that every page may need; an area has more of its own (`area-texts.ts`). Other languages have the same keys; the compiler finds missing ones. */
export const english = {
  // Everywhere
  areas: 'Areas',
  devices: 'Devices',
  content: 'Content',
  playlists: 'Playlists',
  schedules: 'Schedules',
  stores: 'Stores',
  alerts: 'Alerts',
  openAlerts: (count: number) => plural(count, { one: '# open alert', other: '# open alerts' }),
  screensCannotDecode: (count: number, video: string) =>
    plural(count, { one: `# screen cannot play ${video}`, other: `# screens cannot play ${video}` }),
  screensNotSmooth: (count: number, video: string) =>
    plural(count, {
      one: `# screen does not play ${video} smoothly`,
      other: `# screens do not play ${video} smoothly`,
    }),

  moreScreens: (count: number) => plural(count, { other: 'and # more' }),
  analytics: 'Analytics',
  moreAreas: 'More',
  signOut: 'Sign out',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved',
  draftRestored: (time: string) => `Unsaved changes from ${time} restored`,
  discard: 'Discard',
  close: 'Close',
  tryAgain: 'Try again',
  previousPage: 'Previous page',
  nextPage: 'Next page',
  pageOf: (page: string, pages: string) => `Page ${page} of ${pages}`,
  loading: 'Loading',
  never: 'never',
  none: 'none',
  yes: 'yes',
  no: 'no',
  theme: 'Appearance',
  themeLight: 'Light',
  themeDark: 'Dark',
  themeSystem: 'As the system',
  language: 'Language',
  apiDocs: 'API documentation',
  skipToContent: 'Skip to the content',
  goTo: 'Go to',
  goToHint: 'Type a page',
  pageFailed: 'This page could not be shown.',
  pageNotFound: 'There is nothing at this address.',
  toDevices: 'To the devices',

  // Signing in
  signIn: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  passwordHint: 'At least 10 characters',
  name: 'Name',
  lostAccess: 'Lost access? An Admin can send you a new link.',
  signInWith: (account: string) => `Sign in with ${account}`,
  signInWithPasskey: 'Sign in with a passkey',
  signInAs: (name: string) => `Sign in as ${name}`,
  signInLinkExpired:
    'This link was used or has expired: it works once, for 15 minutes. Whoever runs this cloud makes another with the command “users sign-in-link”.',
  companyRefused:
    'The company account was not let in. Sign in there with the address that you are invited with, or ask an Admin for an invitation.',
  codeOfPhone: 'Code of your authenticator app',
  useBackupCode: 'Use a backup code',
  usePhoneCode: 'Use the authenticator app',
  backupCode: 'Backup code',
  invitation: 'Invitation',
  invitedTo: (organization: string) => `You are invited to ${organization}`,
  invitedAs: (role: string) => `As ${role}. Choose a name and a password; this link works once.`,
  createAccount: 'Create the account',
  resetTitle: 'Choose a new password',
  resetDone: 'The password is changed. Sign in with it.',

  // Devices
  searchDevices: 'Search by name',
  allDevices: 'All',
  online: 'Online',
  offline: 'Offline',
  pairDevice: 'Pair a screen',
  deviceCount: (count: number) => plural(count, { one: '# device', other: '# devices' }),
  offlineCount: (count: string) => `${count} offline`,
  nothingFound: 'No device matches.',
  clearFilters: 'Show all devices',
  noDevices: 'No screen yet',
  noDevicesHint: 'Start a player. It shows a code; enter the code here and the screen is yours.',
  status: 'Status',
  store: 'Store',
  allStores: 'All stores',
  noStore: 'No store',
  boundNote:
    'You work for some stores: you can look at this, not change it, because other stores may use it, too.',
  showingNow: 'Shows now',
  lastHeard: 'Last heard',
  version: 'Version',
  tags: 'Tags',
  tag: 'Tag',
  sourceNone: 'Idle screen',

  // Pairing
  pairTitle: 'Pair a screen',
  pairCode: 'Code on the screen',
  pairCodeHint: 'Six letters, such as BCD-FGH',
  pairName: 'Name of the screen',
  pairSubmit: 'Pair',
  pairDone: (name: string) => `“${name}” is paired. Its screen shows the confirmation now.`,

  // One device
  heardNever: 'never heard from',
  heardAt: (time: string) => `last heard ${time}`,
  shouldShow: 'Should show now',
  screenSaid: (playlist: string, time: string) =>
    `The screen says that it shows “${playlist}” (began ${time})`,
  screenSaidNothing: 'The screen has not said what it shows',
  showsSince: (time: string) => `since ${time}`,
  why: 'Why',
  comesNext: 'Today and tomorrow',
  faults: 'What needs attention',
  noFaults: 'Nothing. This screen reports no faults.',
  readings: 'Readings',
  readingsAt: (time: string) => `Measured ${time}`,
  processor: 'Processor',
  memory: 'Memory',
  disk: 'Disk',
  temperature: 'Temperature',
  wifi: 'Wi-Fi signal',
  commands: 'Commands',
  commandRefresh: 'Refresh',
  commandAppRestart: 'Restart the player',
  commandReboot: 'Reboot',
  commandUpdateCheck: 'Check for an update',
  noCommands: 'No command was sent yet.',
  commandStatus: {
    queued: 'Waiting for the screen',
    delivered: 'Sent to the screen',
    acknowledged: 'The screen is at it',
    succeeded: 'Done',
    failed: 'Failed',
    expired: 'Not executed in time',
  },
  revisionApplied: 'Shows the newest revision',
  revisionBehind: 'On its way: the screen still shows an earlier revision',
  settings: 'Settings',
  orientation: 'Orientation',
  orientations: {
    landscape: 'Landscape',
    portrait: 'Portrait',
    'landscape-flipped': 'Landscape, upside down',
    'portrait-flipped': 'Portrait, upside down',
  },
  tagsHint: 'Separated by commas',
  hardware: 'Hardware',
  model: 'Model',
  serial: 'Serial',
  platform: 'Platform',
  displays: 'Displays',
  plays: 'Plays',
  network: 'Network',
  storage: 'Stored media',
  storageFiles: (held: number, missing: number) =>
    `${plural(held, { one: '# file', other: '# files' })}, ${plural(missing, { other: '# missing' })}`,
  changedMeanwhile: 'Somebody else has changed this meanwhile. What you typed is kept; stored is now:',
  keepMine: 'Keep mine',
  takeTheirs: 'Take theirs',
  choose: 'Choose …',
  removeDevice: 'Remove the device',
  removeDeviceQuestion: (name: string) => `Remove “${name}”?`,
  removeDeviceHint:
    'It shows the pairing screen again, and its commands and plays end. This cannot be undone.',
  rebootQuestion: 'Reboot this screen?',
  screenshotInterval: 'Picture of its own accord',
  screenshotsNever: 'Never',
  asOrganization: 'As the organization says',
  every: (duration: string) => `Every ${duration}`,
  rebootHint: 'It stays dark for about a minute.',
} as const;

type Widened<T> = {
  readonly [K in keyof T]: T[K] extends string
    ? string
    : T[K] extends (...args: infer A) => string
      ? (...args: A) => string
      : Widened<T[K]>;
};

/** The texts of one language. */
export type Messages = Widened<typeof english>;

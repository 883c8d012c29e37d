import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');

export const english = {
  openAlert: 'Open alert',
  week: 'Today and the week',
  overTime: 'Readings over time',
  day: '24 hours',
  sevenDays: '7 days',
  noReadings: 'Nothing was measured in this time.',
  logs: 'Logs',
  fetchLogs: 'Fetch the logs',
  logsWaiting: 'The screen is asked for its logs.',
  logsFailed: (reason: string) => `The screen could not send its logs: ${reason}`,
  noLogs: 'Nobody has asked for its logs yet.',
  followLog: 'Follow the log',
  newestLines: 'Newest lines of the log',
  download: 'Download',
  screenshot: 'Picture of the screen',
  screenshotAlt: 'What the screen showed',
  screenshotShows: (name: string) => `The player believed to show ${name}.`,
  screenshotShowsNothing: 'The player showed no content.',
  faultPictureAlt: (code: string) => `What the screen showed when ${code} began`,
  earlierFaults: 'Pictures of earlier faults',
  takeScreenshot: 'Take a picture',
  live: 'Live',
  stopLive: 'Stop',
  liveAlt: 'What the screen shows now',
  liveCaption: 'Live, about one picture a second.',
  liveWaiting: 'Waiting for the first picture.',
  stillWatching: 'Still watching?',
  liveFailed: (reason: string) => `The screen could not do it: ${reason}`,
  liveProblem: {
    offline: 'The screen is offline.',
    no_socket: 'The screen has no permanent connection now, which this needs.',
    player_too_old: 'The player of this screen is too old for this. Update the player.',
    no_answer: 'The screen has not answered within 10 seconds.',
  },
  allowsScreenshots: 'Pictures may be taken of this screen',
  forbiddenBy: {
    device: 'The settings of this screen allow no pictures.',
    organization: 'The settings of the organization allow no pictures.',
  },
  noScreenshot: 'Nobody has taken a picture yet.',
  screenshotWaiting:
    'The screen is asked for a picture. This takes a few seconds, up to a minute without a socket.',
  screenshotExpired:
    'The screen has not answered within two minutes. It may be switched off or without a network.',
  screenshotFailed: (reason: string) => `The screen could not take a picture: ${reason}`,
  pin: 'PIN of the technician menu',
  pinSet: 'A PIN is set.',
  pinNotSet: 'No PIN: anybody at the screen can open the menu.',
  pinField: 'New PIN',
  pinHint: '4 to 8 digits; it cannot be read again',
  removePin: 'Remove the PIN',
  history: 'Changes',
  noHistory: 'Nothing was changed yet.',
  played: 'Played in the last 7 days',
  plays: (count: number) => plural(count, { one: '# time', other: '# times' }),
  noPlays: 'Nothing was played.',
};

export type DeviceTexts = typeof english;

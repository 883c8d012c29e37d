import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');

export const english = {
  period: 'Period',
  periods: { day: '24 hours', week: '7 days', month: '30 days', quarter: '90 days' },
  from: 'From',
  to: 'To',
  inUtc: 'Days and hours are in UTC.',
  download: 'Download as CSV',
  downloadHint: 'Every play of this period, with the filters',
  onlineNow: 'Online now',
  onlineOf: (online: string, all: string) => `${online} of ${all}`,
  uptime: 'Uptime',
  uptimeHint: 'Share of the time since pairing that a screen was online, while the cloud was running.',
  plays: 'Plays',
  timeShown: 'Time on screens',
  failed: 'Failed',
  overTime: 'Plays over time',
  /** Of a chart, for people who cannot see it. */
  chart: (plays: number, failed: number) =>
    `${plural(plays, { one: '# play', other: '# plays' })}, ${plural(failed, { other: '# failed' })}. “Time” below has the numbers.`,
  by: 'Plays by',
  groups: { content: 'Content', device: 'Screen', store: 'Store', playlist: 'Playlist', time: 'Time' },
  without: {
    content: 'Deleted',
    device: 'Removed',
    store: 'Without a store',
    playlist: 'Without a playlist',
  },
  deleted: 'Deleted',
  onlyThis: (name: string) => `Show plays of ${name} only`,
  removeFilter: (name: string) => `Show other plays than those of ${name}, too`,
  noPlays: 'Nothing was played in this time.',
  noPlaysHint: 'A screen reports what it has played. Deploy a playlist, or choose a longer period.',
  toPlaylists: 'To the playlists',
  notObserved: 'not observed yet',
  noScreens: 'No screen is paired.',
  lowestFirst: 'Lowest first',
  more: 'Show more',
  chooseScreen: 'You see the screens of your stores. Choose one to see what it has played.',
  previous: 'Previous page',
  next: 'Next page',
  page: (page: string, pages: string) => `Page ${page} of ${pages}`,
};
export type AnalyticsTexts = typeof english;

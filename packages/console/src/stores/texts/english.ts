import { pluralsOf } from '../../i18n/plural.ts';

const plural = pluralsOf('en');

export const english = {
  addStore: 'Add a store',
  editStore: 'Edit the store',
  searchStores: 'Search by name',
  noStores: 'No store yet',
  noStoresHint:
    'A store is a place with screens. Schedules and deployments can be for one store, and times can be in its time zone.',
  nothingFound: 'No store matches.',
  address: 'Address',
  city: 'City',
  region: 'Region',
  country: 'Country',
  contact: 'Contact',
  timezone: 'Time zone',
  timezoneHint: 'For rules in the local time of the store. Without one, the time zone of the organization.',
  organizationZone: 'time zone of the organization',
  tagsHint: 'Separated by commas',
  screens: (count: number) => plural(count, { one: '# screen', other: '# screens' }),
  files: (count: number) => plural(count, { one: '# file', other: '# files' }),
  schedules: (count: number) => plural(count, { one: '# schedule', other: '# schedules' }),
  deleteStore: 'Delete',
  deleteTitle: (name: string) => `Delete “${name}”?`,
  deleteScreens: (count: number) =>
    plural(count, { one: '# screen stays, without a store.', other: '# screens stay, without a store.' }),
  deleteSchedules: 'These schedules are for this store and will not reach its screens any more:',
  deleteRules: 'These rules for alerts watch this store. Give them other screens, or delete them, first:',
  deleteUnused: 'Nothing uses it.',
  tagsTitle: 'Tags',
  noTags: 'No tag yet. Tags group screens across stores: give them to a screen in its settings.',
};
export type StoreTexts = typeof english;

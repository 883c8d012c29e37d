export const english = {
  screens: 'Screens',
  anyTag: 'Any',
  morePlaces: 'Name or place',
  nameContains: 'Name contains',
  country: 'Country of the store',
  region: 'Region of the store',
  city: 'City of the store',
  allScreens: 'all screens',
  words: {
    store_id: (name: string) => `store “${name}”`,
    tag: (tag: string) => `tag “${tag}”`,
    search: (text: string) => `name contains “${text}”`,
    country: (name: string) => `country ${name}`,
    region: (name: string) => `region ${name}`,
    city: (name: string) => `city ${name}`,
  },
};

export type DeviceFilterTexts = typeof english;

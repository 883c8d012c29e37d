import type { DeviceFilterTexts } from './english.ts';

export const german: DeviceFilterTexts = {
  screens: 'Bildschirme',
  anyTag: 'Beliebig',
  morePlaces: 'Name oder Ort',
  nameContains: 'Name enthält',
  country: 'Land der Filiale',
  region: 'Region der Filiale',
  city: 'Ort der Filiale',
  allScreens: 'alle Bildschirme',
  words: {
    store_id: (name) => `Filiale „${name}“`,
    tag: (tag) => `Tag „${tag}“`,
    search: (text) => `Name enthält „${text}“`,
    country: (name) => `Land ${name}`,
    region: (name) => `Region ${name}`,
    city: (name) => `Ort ${name}`,
  },
};

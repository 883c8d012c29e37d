import type { DeviceFilterTexts } from './english.ts';

export const french: DeviceFilterTexts = {
  screens: 'Écrans',
  anyTag: 'Toutes',
  morePlaces: 'Nom ou lieu',
  nameContains: 'Le nom contient',
  country: 'Pays du magasin',
  region: 'Région du magasin',
  city: 'Ville du magasin',
  allScreens: 'tous les écrans',
  words: {
    store_id: (name) => `magasin « ${name} »`,
    tag: (tag) => `étiquette « ${tag} »`,
    search: (text) => `nom contenant « ${text} »`,
    country: (name) => `pays ${name}`,
    region: (name) => `région ${name}`,
    city: (name) => `ville ${name}`,
  },
};

import { pluralsOf } from '../../i18n/plural.ts';
import type { StoreTexts } from './english.ts';

const plural = pluralsOf('fr');

export const french: StoreTexts = {
  addStore: 'Ajouter un magasin',
  editStore: 'Modifier le magasin',
  searchStores: 'Rechercher par nom',
  noStores: 'Aucun magasin',
  noStoresHint:
    'Un magasin est un lieu avec des écrans. Planifications et déploiements peuvent viser un magasin, et les heures suivre son fuseau.',
  nothingFound: 'Aucun magasin ne correspond.',
  address: 'Adresse',
  city: 'Ville',
  region: 'Région',
  country: 'Pays',
  contact: 'Contact',
  timezone: 'Fuseau horaire',
  timezoneHint: 'Pour les règles à l’heure locale du magasin. Sinon, celui de l’organisation.',
  organizationZone: 'fuseau de l’organisation',
  tagsHint: 'Séparées par des virgules',
  screens: (count) => plural(count, { one: '# écran', other: '# écrans' }),
  files: (count) => plural(count, { one: '# fichier', other: '# fichiers' }),
  schedules: (count) => plural(count, { one: '# planification', other: '# planifications' }),
  deleteStore: 'Supprimer',
  deleteTitle: (name) => `Supprimer « ${name} » ?`,
  deleteScreens: (count) =>
    plural(count, { one: '# écran reste, sans magasin.', other: '# écrans restent, sans magasin.' }),
  deleteSchedules: 'Ces planifications visent ce magasin et n’atteindront plus ses écrans :',
  deleteRules:
    'Ces règles d’alerte surveillent ce magasin. Donnez-leur d’abord d’autres écrans, ou supprimez-les :',
  deleteUnused: 'Rien ne l’utilise.',
  tagsTitle: 'Étiquettes',
  noTags:
    'Aucune étiquette. Elles regroupent des écrans de plusieurs magasins : ajoutez-les dans les réglages d’un écran.',
};

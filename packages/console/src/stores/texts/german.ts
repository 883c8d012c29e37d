import { pluralsOf } from '../../i18n/plural.ts';
import type { StoreTexts } from './english.ts';

const plural = pluralsOf('de');

export const german: StoreTexts = {
  addStore: 'Filiale anlegen',
  editStore: 'Filiale bearbeiten',
  searchStores: 'Nach Namen suchen',
  noStores: 'Noch keine Filiale',
  noStoresHint:
    'Eine Filiale ist ein Ort mit Bildschirmen. Zeitpläne und Zuweisungen können für eine Filiale gelten, Zeiten in ihrer Zeitzone.',
  nothingFound: 'Keine Filiale passt.',
  address: 'Adresse',
  city: 'Ort',
  region: 'Region',
  country: 'Land',
  contact: 'Kontakt',
  timezone: 'Zeitzone',
  timezoneHint: 'Für Regeln in der Ortszeit der Filiale. Ohne sie gilt die Zeitzone der Organisation.',
  organizationZone: 'Zeitzone der Organisation',
  tagsHint: 'Durch Kommas getrennt',
  screens: (count) => plural(count, { one: '# Bildschirm', other: '# Bildschirme' }),
  files: (count) => plural(count, { one: '# Datei', other: '# Dateien' }),
  schedules: (count) => plural(count, { one: '# Zeitplan', other: '# Zeitpläne' }),
  deleteStore: 'Löschen',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteScreens: (count) =>
    plural(count, {
      one: '# Bildschirm bleibt, ohne Filiale.',
      other: '# Bildschirme bleiben, ohne Filiale.',
    }),
  deleteSchedules: 'Diese Zeitpläne gelten für diese Filiale und erreichen ihre Bildschirme dann nicht mehr:',
  deleteRules:
    'Diese Regeln für Alarme überwachen diese Filiale. Bitte geben Sie ihnen zuerst andere Bildschirme, oder löschen Sie sie:',
  deleteUnused: 'Nichts verwendet sie.',
  tagsTitle: 'Tags',
  noTags:
    'Noch kein Tag. Tags fassen Bildschirme über Filialen hinweg zusammen: In den Einstellungen eines Bildschirms vergeben.',
};

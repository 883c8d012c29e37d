import { pluralsOf } from '../../i18n/plural.ts';
import type { FleetTexts } from './english.ts';

const plural = pluralsOf('de');

export const german: FleetTexts = {
  attention: 'Braucht Aufmerksamkeit',
  offlineDevices: (count) => `${count} offline`,
  offlineAdvice: 'Strom und Netz dieser Bildschirme prüfen. Sie spielen weiter, was sie gespeichert haben.',
  unknownFault:
    'Diese Version der Konsole kennt die Störung nicht. Öffnen Sie einen Bildschirm, um zu sehen, was er meldet.',
  behindDevices: (count) =>
    plural(count, { one: '# online, hinter seiner Revision', other: '# online, hinter ihrer Revision' }),
  behindAdvice:
    'Sie zeigen noch nicht, was sie sollen. Wenn das anhält: Speicher und Störungen eines Bildschirms ansehen.',
  oldVersion: (count, version) =>
    plural(count, { one: `# hat Version ${version}`, other: `# haben Version ${version}` }),
  oldVersionAdvice: (newest) => `Die neueste hier ist ${newest}. Lassen Sie sie nach Updates suchen.`,
  updates: 'Player-Updates',
  rolloutHeld: (version) => `Der Rollout der Version ${version} wartet auf eine Entscheidung`,
  rolloutHeldAdvice: 'Sehen Sie sich den Grund an und setzen Sie den Rollout fort oder stoppen Sie ihn.',
  rolloutStopped: (version) => `Der Rollout der Version ${version} wurde gestoppt`,
  rolloutForSome: (version) =>
    `Der Rollout der Version ${version} ist für einen Teil der Bildschirme abgeschlossen`,
  rolloutHoldsAdvice:
    'Bis er gelöscht oder einer für alle Bildschirme abgeschlossen ist, aktualisiert sich kein Bildschirm von selbst.',
  showThem: 'Anzeigen',
  allVersions: 'Alle Versionen',
  versionIs: 'Version',
  faultIs: 'Fehler',
  revision: 'Revision',
  behind: 'Hinter ihrer Revision',
  current: 'Zeigt ihre Revision',
  moreFilters: 'Fehler oder Version',
  list: 'Liste',
  tiles: 'Kacheln',
  layout: 'Ansicht',
  select: (name) => `${name} auswählen`,
  selected: (count) => `${count} ausgewählt`,
  actOnSelected: 'Aktion für die Auswahl',
  actOnAll: (count) => `Aktion für alle ${count}`,
  clearSelection: 'Auswahl aufheben',
  bulkTitle: (count) => plural(count, { one: 'Dasselbe für # Gerät', other: 'Dasselbe für # Geräte' }),
  action: 'Aktion',
  addTags: 'Tags hinzufügen',
  removeTags: 'Tags entfernen',
  setStore: 'In eine Filiale verschieben',
  setOrientation: 'Ausrichtung setzen',
  deploy: 'Playlist verteilen',
  playlist: 'Playlist',
  tagsHint: 'Durch Kommas getrennt',
  checking: 'Es wird geprüft, was die Bildschirme abspielen können …',
  start: 'Starten',
  stop: 'Den Rest auslassen',
  progress: (done, total) => `${done} von ${total} erledigt`,
  failedCount: (count) => `${count} fehlgeschlagen`,
  finished: 'Fertig',
  cancelled: 'Angehalten; was getan ist, bleibt',
  running: 'Läuft im Hintergrund weiter, auch wenn dies geschlossen wird',
  views: 'Ansichten',
  saveView: 'Diese Ansicht speichern',
  viewName: 'Name der Ansicht',
  removeView: (name) => `${name} entfernen`,
  noViews: 'In diesem Browser ist noch keine Ansicht gespeichert.',
};

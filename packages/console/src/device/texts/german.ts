import { pluralsOf } from '../../i18n/plural.ts';
import type { DeviceTexts } from './english.ts';

const plural = pluralsOf('de');

export const german: DeviceTexts = {
  openAlert: 'Offener Alarm',
  week: 'Heute und die Woche',
  overTime: 'Messwerte im Verlauf',
  day: '24 Stunden',
  sevenDays: '7 Tage',
  noReadings: 'In dieser Zeit wurde nichts gemessen.',
  logs: 'Protokolle',
  fetchLogs: 'Protokolle holen',
  logsWaiting: 'Der Bildschirm wird um seine Protokolle gebeten.',
  logsFailed: (reason) => `Der Bildschirm konnte seine Protokolle nicht senden: ${reason}`,
  noLogs: 'Noch niemand hat seine Protokolle geholt.',
  download: 'Herunterladen',
  screenshot: 'Bild des Bildschirms',
  screenshotAlt: 'Was der Bildschirm zeigte',
  screenshotShows: (name) => `Laut Player lief ${name}.`,
  screenshotShowsNothing: 'Der Player zeigte keinen Inhalt.',
  faultPictureAlt: (code) => `Was der Bildschirm zeigte, als ${code} begann`,
  earlierFaults: 'Bilder früherer Störungen',
  takeScreenshot: 'Bild aufnehmen',
  live: 'Live',
  stopLive: 'Beenden',
  liveAlt: 'Was der Bildschirm jetzt zeigt',
  liveCaption: 'Live, etwa ein Bild je Sekunde.',
  liveWaiting: 'Warten auf das erste Bild.',
  stillWatching: 'Sehen Sie noch zu?',
  liveProblem: {
    offline: 'Der Bildschirm ist offline.',
    no_socket:
      'Der Bildschirm hat jetzt keine stehende Verbindung, die dafür nötig ist. Nehmen Sie stattdessen ein einzelnes Bild auf.',
    player_too_old: 'Der Player dieses Bildschirms ist dafür zu alt. Aktualisieren Sie den Player.',
    no_answer: 'Der Bildschirm hat 10 Sekunden lang nicht geantwortet.',
  },
  allowsScreenshots: 'Von diesem Bildschirm dürfen Bilder gemacht werden',
  forbiddenBy: {
    device: 'Die Einstellungen dieses Bildschirms erlauben keine Bilder.',
    organization: 'Die Einstellungen der Organisation erlauben keine Bilder.',
  },
  noScreenshot: 'Noch hat niemand ein Bild aufgenommen.',
  screenshotWaiting:
    'Der Bildschirm wird um ein Bild gebeten. Das dauert einige Sekunden, ohne stehende Verbindung bis zu einer Minute.',
  screenshotExpired:
    'Der Bildschirm hat zwei Minuten lang nicht geantwortet. Vielleicht ist er ausgeschaltet oder ohne Netz.',
  screenshotFailed: (reason) => `Der Bildschirm konnte kein Bild aufnehmen: ${reason}`,
  pin: 'PIN des Technikermenüs',
  pinSet: 'Eine PIN ist gesetzt.',
  pinNotSet: 'Keine PIN: jeder am Bildschirm kann das Menü öffnen.',
  pinField: 'Neue PIN',
  pinHint: '4 bis 8 Ziffern; sie kann nicht wieder gelesen werden',
  removePin: 'PIN entfernen',
  history: 'Änderungen',
  noHistory: 'Noch wurde nichts geändert.',
  played: 'In den letzten 7 Tagen gespielt',
  plays: (count) => plural(count, { other: '#-mal' }),
  noPlays: 'Es wurde nichts gespielt.',
};

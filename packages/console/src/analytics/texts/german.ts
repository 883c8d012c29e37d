import { pluralsOf } from '../../i18n/plural.ts';
import type { AnalyticsTexts } from './english.ts';

const plural = pluralsOf('de');

export const german: AnalyticsTexts = {
  period: 'Zeitraum',
  periods: { day: '24 Stunden', week: '7 Tage', month: '30 Tage', quarter: '90 Tage' },
  from: 'Von',
  to: 'Bis',
  inUtc: 'Tage und Stunden in UTC.',
  download: 'Als CSV laden',
  downloadHint: 'Jede Wiedergabe dieses Zeitraums, mit den Filtern',
  onlineNow: 'Jetzt online',
  onlineOf: (online, all) => `${online} von ${all}`,
  uptime: 'Verfügbarkeit',
  uptimeHint: 'Anteil der Zeit seit der Kopplung, in der ein Bildschirm online war, solange die Cloud lief.',
  plays: 'Wiedergaben',
  timeShown: 'Zeit auf Bildschirmen',
  failed: 'Fehlgeschlagen',
  overTime: 'Wiedergaben im Zeitverlauf',
  chart: (plays, failed) =>
    `${plural(plays, { one: '# Wiedergabe', other: '# Wiedergaben' })}, ${plural(failed, { other: '# fehlgeschlagen' })}. Unter „Zeit“ stehen die Zahlen.`,
  by: 'Wiedergaben nach',
  groups: { content: 'Inhalt', device: 'Bildschirm', store: 'Filiale', playlist: 'Playlist', time: 'Zeit' },
  without: { content: 'Gelöscht', device: 'Entfernt', store: 'Ohne Filiale', playlist: 'Ohne Playlist' },
  deleted: 'Gelöscht',
  onlyThis: (name) => `Nur Wiedergaben von ${name} zeigen`,
  removeFilter: (name) => `Auch andere Wiedergaben als die von ${name} zeigen`,
  noPlays: 'In dieser Zeit wurde nichts wiedergegeben.',
  noPlaysHint:
    'Ein Bildschirm meldet, was er wiedergegeben hat. Spielen Sie eine Playlist aus, oder wählen Sie einen längeren Zeitraum.',
  toPlaylists: 'Zu den Playlists',
  notObserved: 'noch nicht beobachtet',
  noScreens: 'Kein Bildschirm ist gekoppelt.',
  lowestFirst: 'Niedrigste zuerst',
  more: 'Mehr zeigen',
  chooseScreen:
    'Sie sehen die Bildschirme Ihrer Filialen. Wählen Sie einen, um zu sehen, was er wiedergegeben hat.',
  previous: 'Vorige Seite',
  next: 'Nächste Seite',
  page: (page, pages) => `Seite ${page} von ${pages}`,
};

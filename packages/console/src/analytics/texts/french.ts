import { pluralsOf } from '../../i18n/plural.ts';
import type { AnalyticsTexts } from './english.ts';

const plural = pluralsOf('fr');

export const french: AnalyticsTexts = {
  period: 'Période',
  periods: { day: '24 heures', week: '7 jours', month: '30 jours', quarter: '90 jours' },
  from: 'Du',
  to: 'Au',
  inUtc: 'Jours et heures en UTC.',
  download: 'Télécharger en CSV',
  downloadHint: 'Chaque lecture de cette période, avec les filtres',
  onlineNow: 'En ligne maintenant',
  onlineOf: (online, all) => `${online} sur ${all}`,
  uptime: 'Disponibilité',
  uptimeHint:
    'Part du temps depuis l’association pendant laquelle un écran était en ligne, tant que le cloud fonctionnait.',
  plays: 'Lectures',
  timeShown: 'Temps à l’écran',
  failed: 'Échecs',
  overTime: 'Lectures dans le temps',
  chart: (plays, failed) =>
    `${plural(plays, { one: '# lecture', other: '# lectures' })}, ${plural(failed, { one: '# échec', other: '# échecs' })}. Les chiffres sont sous « Temps ».`,
  by: 'Lectures par',
  groups: {
    content: 'Contenu',
    device: 'Écran',
    store: 'Magasin',
    playlist: 'Playlist',
    time: 'Temps',
  },
  without: { content: 'Supprimé', device: 'Retiré', store: 'Sans magasin', playlist: 'Sans playlist' },
  deleted: 'Supprimé',
  onlyThis: (name) => `Ne montrer que les lectures de ${name}`,
  removeFilter: (name) => `Montrer aussi d’autres lectures que celles de ${name}`,
  noPlays: 'Rien n’a été lu pendant cette période.',
  noPlaysHint:
    'Un écran communique ce qu’il a lu. Déployez une playlist ou choisissez une période plus longue.',
  toPlaylists: 'Vers les playlists',
  notObserved: 'pas encore observé',
  noScreens: 'Aucun écran n’est associé.',
  lowestFirst: 'Les plus basses d’abord',
  more: 'Afficher plus',
  chooseScreen: 'Vous voyez les écrans de vos magasins. Choisissez-en un pour voir ce qu’il a lu.',
  previous: 'Page précédente',
  next: 'Page suivante',
  page: (page, pages) => `Page ${page} sur ${pages}`,
};

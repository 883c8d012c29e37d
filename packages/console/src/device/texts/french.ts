import { pluralsOf } from '../../i18n/plural.ts';
import type { DeviceTexts } from './english.ts';

const plural = pluralsOf('fr');

export const french: DeviceTexts = {
  week: 'Aujourd’hui et la semaine',
  overTime: 'Mesures dans le temps',
  day: '24 heures',
  sevenDays: '7 jours',
  noReadings: 'Rien n’a été mesuré pendant cette période.',
  logs: 'Journaux',
  fetchLogs: 'Récupérer les journaux',
  logsWaiting: 'L’écran est prié d’envoyer ses journaux.',
  logsFailed: (reason) => `L’écran n’a pas pu envoyer ses journaux : ${reason}`,
  noLogs: 'Personne n’a encore demandé ses journaux.',
  download: 'Télécharger',
  screenshot: 'Image de l’écran',
  screenshotAlt: 'Ce que l’écran affichait',
  screenshotShows: (name) => `Selon le lecteur, il affichait ${name}.`,
  screenshotShowsNothing: 'Le lecteur n’affichait aucun contenu.',
  faultPictureAlt: (code) => `Ce que l’écran affichait au début de ${code}`,
  earlierFaults: 'Images de pannes antérieures',
  takeScreenshot: 'Prendre une image',
  live: 'En direct',
  stopLive: 'Arrêter',
  liveAlt: 'Ce que l’écran affiche maintenant',
  liveCaption: 'En direct, environ une image par seconde.',
  liveWaiting: 'En attente de la première image.',
  stillWatching: 'Regardez-vous encore ?',
  liveProblem: {
    offline: 'L’écran est hors ligne.',
    no_socket:
      'L’écran n’a pas de connexion permanente en ce moment, et le direct en a besoin. Prenez plutôt une seule image.',
    player_too_old: 'Le lecteur de cet écran est trop ancien pour cela. Mettez-le à jour.',
    no_answer: 'L’écran n’a pas répondu en 10 secondes.',
  },
  allowsScreenshots: 'Des images de cet écran peuvent être prises',
  forbiddenBy: {
    device: 'Les réglages de cet écran n’autorisent aucune image.',
    organization: 'Les réglages de l’organisation n’autorisent aucune image.',
  },
  noScreenshot: 'Personne n’a encore pris d’image.',
  screenshotWaiting:
    'Une image est demandée à l’écran. Cela prend quelques secondes, jusqu’à une minute sans connexion permanente.',
  screenshotExpired: 'L’écran n’a pas répondu pendant deux minutes. Il est peut-être éteint ou hors réseau.',
  screenshotFailed: (reason) => `L’écran n’a pas pu prendre d’image : ${reason}`,
  pin: 'PIN du menu technicien',
  pinSet: 'Un PIN est défini.',
  pinNotSet: 'Pas de PIN : toute personne devant l’écran peut ouvrir le menu.',
  pinField: 'Nouveau PIN',
  pinHint: '4 à 8 chiffres ; il ne peut plus être relu',
  removePin: 'Supprimer le PIN',
  history: 'Modifications',
  noHistory: 'Rien n’a encore été modifié.',
  played: 'Diffusé ces 7 derniers jours',
  plays: (count) => plural(count, { other: '# fois' }),
  noPlays: 'Rien n’a été diffusé.',
};

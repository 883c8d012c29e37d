import { pluralsOf } from '../../i18n/plural.ts';
import type { DeviceTexts } from './english.ts';

const plural = pluralsOf('fr');

export const french: DeviceTexts = {
  week: 'Aujourd’hui et la semaine',
  overTime: 'Mesures dans le temps',
  day: '24 heures',
  sevenDays: '7 jours',
  noReadings: 'Rien n’a été mesuré pendant cette période.',
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

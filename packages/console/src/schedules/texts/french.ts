import { pluralsOf } from '../../i18n/plural.ts';
import type { ScheduleTexts } from './english.ts';

const plural = pluralsOf('fr');

export const french: ScheduleTexts = {
  newSchedule: 'Nouvelle planification',
  searchSchedules: 'Rechercher par nom',
  noSchedules: 'Aucune planification',
  noSchedulesHint:
    'Une planification dit quelle playlist est affichée et quand : ses règles sont des heures, ses cibles des écrans. Sinon, c’est la playlist déployée.',
  nothingFound: 'Aucune planification ne correspond.',
  firstOf: (shown, total) => `Les ${shown} premières sur ${total} ; cherchez les autres.`,
  rules: (count) => plural(count, { one: '# règle', other: '# règles' }),
  active: 'Active',
  activeOf: (name) => `« ${name} » est active`,
  back: 'Planifications',
  targets: 'Pour',
  noTargets: 'aucun écran',
  target: {
    all: 'tous les écrans',
    tag: (tag) => `écrans avec l’étiquette « ${tag} »`,
    store: (name) => `magasin « ${name} »`,
    device: (name) => `écran « ${name} »`,
  },
  addTarget: 'Ajouter des écrans',
  targetKind: {
    all: 'Tous les écrans',
    tag: 'Avec une étiquette',
    store: 'D’un magasin',
    device: 'Un écran',
  },
  findDevice: 'Nom de l’écran',
  add: 'Ajouter',
  remove: (what) => `Retirer ${what}`,
  week: 'Semaine',
  previousWeek: 'Semaine précédente',
  nextWeek: 'Semaine suivante',
  thisWeek: 'Cette semaine',
  zone: (zone) => `Heures de ${zone}`,
  drawHint:
    'Dessinez dans la semaine pour ajouter une règle. Les flèches déplacent la règle choisie, avec Maj sa fin ; Entrée l’ouvre.',
  noPlaylists: 'Il n’y a pas encore de playlist. Créez-en une d’abord : une règle affiche une playlist.',
  addRule: 'Ajouter une règle',
  rulesTitle: 'Règles',
  noRules: 'Aucune règle : cette planification ne change rien.',
  losesPartly: 'une autre règle l’emporte en partie',
  losesAll: 'une autre règle l’emporte ici',
  priorityOf: (priority) => `priorité ${priority}`,
  editRule: 'Règle',
  playlist: 'Playlist',
  startTime: 'De',
  endTime: 'À',
  endsAfter: 'Se termine',
  sameDay: 'selon les heures',
  afterDays: (days) => plural(days, { one: '# jour après', other: '# jours après' }),
  repeats: 'Répétition',
  onDays: 'Certains jours de la semaine',
  byRecurrence: 'Selon une récurrence',
  every: 'Tous les',
  unit: { DAILY: 'jours', WEEKLY: 'semaines', MONTHLY: 'mois', YEARLY: 'ans' },
  monthDays: 'Jours du mois',
  monthDaysHint: 'Par exemple 1, 15 ou -1 pour le dernier',
  whichOfMonth: 'Lequel du mois',
  each: 'chaque',
  last: 'dernier',
  rrule: 'Récurrence (RRULE)',
  byHand: 'Les champs ci-dessus n’ont pas toutes les parties de ce texte.',
  understood: 'C’est-à-dire',
  next: 'Prochains jours',
  never: 'N’a pas lieu dans l’année.',
  startsOn: 'Premier jour',
  endsOn: 'Dernier jour',
  priority: 'Priorité',
  priorityHint: 'De 0 à 1000 ; la plus haute l’emporte là où des règles se chevauchent',
  localTime: 'À l’heure locale de chaque magasin',
  exceptions: 'Sauf le',
  addException: 'Jour sans cette règle',
  removeRule: 'Retirer la règle',
  done: 'Terminé',
  checking: 'Comparaison de ce que les écrans affichent…',
  switchedOn: (name) => `« ${name} » est active. Les écrans changent maintenant.`,
  switchedOff: (name) => `« ${name} » n’est plus active.`,
  nextDays: 'dans les 7 prochains jours',
  daysFrom: (day) => `dans les 7 jours à partir du ${day}`,
  noChange: (span) => `Aucun écran n’affiche autre chose ${span}.`,
  changes: (count, span) =>
    plural(count, {
      one: `# écran affiche autre chose ${span}`,
      other: `# écrans affichent autre chose ${span}`,
    }),
  firstChange: (time) => `d’abord ${time}`,
  unexamined: (count) =>
    plural(count, { one: '# écran n’a pas été comparé.', other: '# écrans n’ont pas été comparés.' }),
  shownInstead: (before, after) => `${before} → ${after}`,
  nothing: 'écran de veille',
  details: 'Quels écrans, quand',
  others: 'Autres planifications pour les mêmes écrans :',
  discard: 'Abandonner',
  undo: 'Annuler',
  deleteSchedule: 'Supprimer',
  deleteTitle: (name) => `Supprimer « ${name} » ?`,
  deleteHint: 'Ses règles disparaissent ; les écrans affichent ce qui leur est destiné par ailleurs.',
  shownAt: 'Qu’affiche-t-on le …',
  at: 'Jour et heure',
  allStores: 'Tous les magasins',
  words: {
    everyDay: 'tous les jours',
    workdays: 'du lundi au vendredi',
    weekly: (days) => `chaque ${days}`,
    everyNthDay: (n) => `tous les ${n} jours`,
    everyNthWeek: (n, days, isOne) => {
      if (isOne && n <= 2) {
        return n === 1 ? `chaque ${days}` : `un ${days} sur deux`;
      }
      const on = days === '' ? '' : `, le ${days}`;
      return (
        (n === 1 ? 'chaque semaine' : n === 2 ? 'une semaine sur deux' : `toutes les ${n} semaines`) + on
      );
    },
    everyNthMonth: (n, on) =>
      `${n === 1 ? 'chaque mois' : `tous les ${n} mois`}${on === '' ? '' : `, le ${on}`}`,
    everyNthYear: (n, on) =>
      `${n === 1 ? 'chaque année' : `tous les ${n} ans`}${on === '' ? '' : `, le ${on}`}`,
    monthDay: (day) =>
      day > 0 ? (day === 1 ? '1er' : `${day}`) : day === -1 ? 'dernier jour' : `${-day}e dernier jour`,
    nthWeekday: (n, day) =>
      n === 0
        ? day
        : n === 1
          ? `premier ${day}`
          : n > 0
            ? `${n}e ${day}`
            : n === -1
              ? `dernier ${day}`
              : `${-n}e dernier ${day}`,
    inMonths: (months) => `en ${months}`,
    times: (count) => (count === 1 ? 'une fois' : `${count} fois`),
    from: (date) => `à partir du ${date}`,
    until: (date) => `jusqu’au ${date}`,
    allDay: 'toute la journée',
    hours: (start, end) => `${start}–${end}`,
    nextDay: (end) => `${end} le lendemain`,
    daysLater: (end, days) => `${end} ${days} jours après`,
    except: (dates) => `sauf le ${dates}`,
    localTime: 'à l’heure locale du magasin',
    custom: (text) => `selon la récurrence ${text}`,
  },
};

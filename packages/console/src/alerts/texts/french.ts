import { pluralsOf } from '../../i18n/plural.ts';
import { after } from './condition-texts.ts';
import type { AlertTexts } from './english.ts';

const plural = pluralsOf('fr');

export const french: AlertTexts = {
  conditions: {
    offline: {
      name: 'Un écran est hors ligne',
      words: (value) => `Hors ligne depuis ${value('minutes')}`,
      advice:
        'Vérifiez l’alimentation et le réseau des écrans. Ils continuent de diffuser ce qu’ils ont stocké.',
    },
    fault: {
      name: 'Un écran signale un défaut',
      words: (value) =>
        `${value('code') === '' ? 'Tout défaut' : `Défaut ${value('code')}`}${after(' depuis ', value('minutes'))}`,
      advice: 'Ouvrez un écran pour voir le défaut qu’il signale et que faire.',
    },
    behind: {
      name: 'Un écran n’affiche pas ce qu’il devrait',
      words: (value) => `N’affiche pas le contenu prévu depuis ${value('minutes')}`,
      advice: 'Ouvrez un écran et regardez son stockage et ses défauts.',
    },
    old_version: {
      name: 'Un lecteur est trop ancien',
      words: (value) => `Lecteur antérieur à ${value('version')}${after(' depuis ', value('minutes'))}`,
      advice: 'Faites chercher des mises à jour aux écrans.',
    },
    hot: {
      name: 'Un écran est trop chaud',
      words: (value) => `${value('celsius')} °C ou plus${after(' depuis ', value('minutes'))}`,
      advice: 'Vérifiez l’aération, le ventilateur et l’ensoleillement des écrans.',
    },
    disk_below: {
      name: 'Le disque d’un écran est presque plein',
      words: (value) =>
        `Moins de ${value('free')} ${value('unit')} du disque libre${after(' depuis ', value('minutes'))}`,
      advice:
        'Libérez de la place sur le disque des écrans, ou affichez-y des fichiers moins nombreux et plus petits.',
    },
    nothing_playable: {
      name: 'Un écran n’a rien à afficher',
      words: (value) => `N’a rien à afficher depuis ${value('minutes')}`,
      advice: 'Ouvrez un écran : sa playlist a-t-elle du contenu, et est-il stocké sur place ?',
    },
    screen_black: {
      name: 'Un écran est noir',
      hint: 'D’après les images que les écrans envoient à l’intervalle de leurs réglages.',
      words: (value) => `Noir sur ${value('pictures')} images${after(' depuis ', value('minutes'))}`,
      advice: 'Regardez l’image d’un écran. Vérifiez le lecteur, et si son contenu doit être sombre.',
    },
    screen_frozen: {
      name: 'L’image d’un écran ne change pas',
      hint: 'D’après les images que les écrans envoient à l’intervalle de leurs réglages.',
      words: (value) => `Identique sur ${value('pictures')} images${after(' depuis ', value('minutes'))}`,
      advice: 'Regardez l’image d’un écran et redémarrez-y l’application.',
    },
  },
  fields: {
    minutes: 'Durée minimale en minutes',
    code: 'Code du défaut',
    version: 'Antérieur à la version',
    celsius: 'Degrés Celsius',
    free: 'Moins d’espace libre que',
    unit: 'Unité',
    pictures: 'Images successives',
  },
  open: 'En cours',
  resolved: 'Résolues',
  noneOpen: 'Aucune alerte en cours.',
  watching: (count) =>
    plural(count, { one: '# règle surveille vos écrans.', other: '# règles surveillent vos écrans.' }),
  nothingResolved: 'Aucune alerte résolue ces 90 derniers jours.',
  ofYourStores:
    'Vous travaillez pour certains magasins. Vous voyez les alertes concernant ces magasins et leurs écrans, mais aucune qui concerne des écrans de plusieurs magasins.',
  rulesNotForBound:
    'Vous travaillez pour certains magasins. Les règles d’alerte concernent tous les magasins ; c’est pourquoi elles ne vous sont pas affichées.',
  severalScreens: 'Plusieurs écrans',
  screens: (count) => plural(count, { one: '# écran', other: '# écrans' }),
  rule: 'Règle',
  from: 'Depuis',
  until: 'Fin',
  because: {
    over: 'Terminée pour tous les écrans',
    rule_changed: 'La règle a été modifiée, désactivée ou supprimée',
    not_watched: 'Fin non constatée : des écrans ont été supprimés, ou la règle ne les surveille plus',
  },
  otherReason: (reason) => `Terminée pour une autre raison (${reason})`,
  screensTitle: 'Écrans',
  concernedNow: 'Concernés actuellement',
  concernedSoFar: 'Concernés jusqu’ici',
  overSince: (time) => `terminé depuis ${time}`,
  notKnownOver: 'fin non constatée',
  removedScreen: 'Écran supprimé',
  mails: 'E-mails',
  noMails: 'Aucun e-mail : la règle n’avait pas de destinataire.',
  mailStep: { opened: 'Alerte', escalated: 'Toujours en cours', resolved: 'Résolue' },
  mailStatus: { pending: 'En attente', sent: 'Accepté par le serveur de messagerie', failed: 'Échec' },
  attempts: (count) => `tentatives : ${count}`,
  nextAttempt: (time) => `prochaine tentative ${time}`,
  rules: 'Règles d’alerte',
  rulesHint:
    'Une règle dit quand il y a une alerte, et pour quels écrans. Un magasin en panne est une seule alerte ; le temps où le cloud était arrêté ne compte pas.',
  noRules: 'Rien n’est encore surveillé',
  noRulesHint:
    'Les règles disent quand il y a une alerte. Commencez par celles-ci ; chacune peut être modifiée ou désactivée ensuite.',
  noRulesForViewer: 'Il n’y a pas de règle d’alerte. Un Editor ou un Admin peut en créer.',
  createStarters: 'Créer ces règles',
  newRule: 'Nouvelle règle',
  editRule: 'Modifier la règle',
  condition: 'Alerte quand',
  unknownCondition: (type) =>
    `Cette version de la console ne connaît pas la condition « ${type} ». Le reste de la règle peut être modifié.`,
  noPictures:
    'Les écrans n’envoient pas d’images automatiquement : il n’y a donc pas d’alerte, sauf pour les écrans qui ont leur propre réglage.',
  toPictureSettings: 'Ouvrir les réglages',
  atOnce: '0 : immédiatement',
  anyFault: 'Vide : tout défaut',
  watches: (count) => plural(count, { one: 'Surveille # écran.', other: 'Surveille # écrans.' }),
  recipients: 'E-mail à',
  recipientsHint:
    'Adresses séparées par des virgules. Sans adresse, les alertes sont affichées ici et envoyées aux webhooks.',
  mailLanguage: 'Langue des e-mails',
  mailTo: (count) => plural(count, { one: 'e-mail à # adresse', other: 'e-mail à # adresses' }),
  noMail: 'aucun e-mail',
  inOpeningHours: 'seulement aux heures d’ouverture',
  laterTo: (count) => plural(count, { one: 'plus tard à # adresse', other: 'plus tard à # adresses' }),
  mutes: 'Mises en sourdine',
  mutedUntil: (time) => `En sourdine jusqu’au ${time}`,
  hours: 'Les alertes sont ouvertes',
  hoursAlways: 'À tout moment',
  hoursOnly: 'Pendant les heures d’ouverture seulement',
  hoursHint: 'Dans le fuseau horaire du magasin. Les minutes en dehors de ces heures ne comptent pas.',
  days: 'Jours',
  hoursFrom: 'De',
  hoursTo: 'À',
  onTheNextDay: 'Le lendemain',
  addHours: 'Ajouter des heures',
  remove: 'Retirer',
  stillOpen: 'Si elle est encore ouverte',
  afterMinutes: 'Après (minutes)',
  addLater: 'Écrire plus tard à d’autres',
  mute: 'Mettre en sourdine',
  muteTitle: 'Mettre les alertes en sourdine',
  muteHint:
    'Pendant ce temps, aucune alerte n’est ouverte pour ces écrans et aucun e-mail n’est envoyé. Ce qui ne va toujours pas ensuite devient alors une alerte.',
  muteFor: 'Durée',
  untilOwnTime: 'Jusqu’à un moment précis',
  untilTime: 'Jusqu’à',
  reason: 'Motif',
  endMute: 'Rétablir',
  endsOpen: (count) =>
    plural(count, {
      one: 'Enregistrer met fin à # alerte en cours de la règle. Si elle reste vraie, il y en aura une nouvelle.',
      other:
        'Enregistrer met fin à # alertes en cours de la règle. Si elles restent vraies, il y en aura de nouvelles.',
    }),
  active: 'Active',
  activeOf: (name) => `« ${name} » est active`,
  switchedOn: (name) => `« ${name} » est de nouveau active.`,
  switchedOff: (name) => `« ${name} » est désactivée. Ses alertes en cours sont terminées.`,
  undo: 'Annuler',
  deleteRule: 'Supprimer',
  deleteTitle: (name) => `Supprimer « ${name} » ?`,
  deleteHint: 'Ses alertes en cours se terminent. Cette action est irréversible.',
};

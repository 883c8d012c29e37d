import { pluralsOf } from '../../i18n/plural.ts';
import type { RolloutTexts } from './english.ts';

const plural = pluralsOf('fr');
const SCREENS = { one: '# écran', other: '# écrans' };

export const french: RolloutTexts = {
  title: 'Mises à jour des lecteurs',
  notForBound:
    'Vous travaillez pour certains magasins. Un déploiement concerne les écrans de tous les magasins ; les déploiements ne vous sont donc pas présentés.',
  rollouts: 'Déploiements',
  none: 'Aucune version n’a encore été déployée',
  noneHint:
    'Un déploiement donne une nouvelle version du lecteur à quelques écrans d’abord, les compare aux autres et ne continue que si rien ne se dégrade. Il lui faut un flux de mises à jour qui propose la version à tous les écrans, et des écrans dont la version est plus ancienne.',
  start: 'Lancer un déploiement',
  startAfter: 'Le prochain déploiement pourra être lancé quand celui-ci sera terminé.',
  began: (time) => `lancé le ${time}`,

  selecting: 'Choix des écrans en cours',
  atRing: (ring, rings, share) => `étape ${ring} sur ${rings} (jusqu’à ${share})`,
  running: (at) => `En cours : ${at}`,
  held: (at) => `Attend une décision : ${at}`,
  stopped: (at) => `Arrêté de lui-même : ${at}`,
  stoppedByHand: (at) => `Arrêté à la main : ${at}`,
  stoppedAt: (at) => `Arrêté : ${at}`,
  stoppedBeforeBeginning: 'Arrêté à la main avant la première étape',
  finished: 'Terminé',
  updatedOfRing: (updated, chosen) => `${updated} sur ${chosen} à jour dans cette étape`,
  updatedOfAll: (updated, fleet) => `${updated} sur ${fleet} à jour`,

  state: 'État',
  whatToDo: 'Que faire',
  screens: 'Écrans',
  reached: 'Écrans avec une version plus ancienne',
  beganAt: 'Lancé',
  endedAt: 'Terminé',
  heldFor: 'Comparaison de chaque étape',
  holdsUpdates: 'Jusqu’à sa fin, aucun écran de l’organisation ne se met à jour de lui-même.',
  holdsUntilAll:
    'Aucun écran de l’organisation ne se met à jour de lui-même jusqu’à ce que ce déploiement soit supprimé ou qu’un déploiement pour tous les écrans soit terminé.',
  selfUpdating: (count) =>
    plural(count, {
      one: '# écran a un lecteur trop ancien pour attendre son tour : il se met aussi à jour de lui-même.',
      other:
        '# écrans ont des lecteurs trop anciens pour attendre leur tour : ils se mettent aussi à jour d’eux-mêmes.',
    }),
  stop: 'Arrêter',
  stopQuestion: (version) => `Arrêter le déploiement de ${version} ?`,
  stopHint:
    'Plus aucun écran ne reçoit l’ordre de se mettre à jour. Les écrans qui ont la version la gardent. Un déploiement arrêté ne peut pas être poursuivi.',
  continue: 'Passer à l’étape suivante',
  continueQuestion: (count) =>
    plural(count, {
      one: 'Demander la mise à jour à # écran de plus ?',
      other: 'Demander la mise à jour à # écrans de plus ?',
    }),
  continueHint: 'Un ordre qu’un écran a reçu ne peut pas être repris.',
  delete: 'Supprimer',
  deleteQuestion: (version) => `Supprimer le déploiement de ${version} ?`,
  deleteHint: 'La liste de ses écrans est perdue. Les écrans gardent leur version.',
  deleteHolding: 'Les écrans se mettent ensuite de nouveau à jour d’eux-mêmes, selon leur flux.',

  causes: {
    stopped_by_hand: (name) => `Arrêté par ${name}.`,
    worse: ({ what, kind, before, after, updated, othersBefore, othersAfter, others }) =>
      `${what}${kind === '' ? '' : ` (${kind})`} : ${before} avant la mise à jour, ${after} après (${plural(updated, SCREENS)}). ` +
      `Sans la mise à jour : ${othersBefore} avant, ${othersAfter} maintenant (${plural(others, SCREENS)}).`,
    not_coming_back: ({ silent, told, kind, othersSilent, others }) =>
      `${silent} sur ${plural(told, SCREENS)}${kind === '' ? '' : ` (${kind})`} qui devaient se mettre à jour ne sont pas revenus. ` +
      `Sur ${plural(others, SCREENS)} sans cet ordre, ${othersSilent} sont muets.`,
    broken_update: ({ broken, answered, kind }) =>
      `Sur ${plural(answered, SCREENS)}${kind === '' ? '' : ` (${kind})`}, la version n’a pas pu être installée ou n’a pas fonctionné sur ${broken}. ` +
      'La version précédente y tourne.',
    nothing_compared: 'Rien n’a pu être comparé : trop peu d’écrans ont transmis assez de mesures.',
    too_few_updated: ({ alive, chosen, failed, told }) =>
      `Seuls ${alive} sur ${plural(chosen, SCREENS)} de cette étape ont la version et étaient en ligne au cours des dernières 24 heures. ` +
      `Échecs : ${failed}. Sans nouvelles : ${told}.`,
    nothing_older: 'Aucun écran concerné n’a une version plus ancienne.',
  },
  advice: {
    stopped_by_hand: '',
    worse:
      'Bloquez la version dans votre flux de mises à jour. Déployez ensuite une version corrigée avec un numéro plus élevé ; d’ici là, ces écrans gardent la version.',
    not_coming_back:
      'Examinez les écrans muets sur place : courant, réseau, image. La liste des appareils les indique avec l’état « Hors ligne ». Bloquez la version dans votre flux de mises à jour, puis déployez une version corrigée avec un numéro plus élevé.',
    broken_update:
      'La liste des écrans ci-dessous donne la raison de chaque échec. Bloquez la version dans votre flux de mises à jour, puis déployez une version corrigée avec un numéro plus élevé.',
    nothing_compared:
      'Examinez quelques écrans de cette étape. Continuez s’ils vont bien. En dessous d’environ 300 écrans, la plupart des comparaisons sont impossibles.',
    too_few_updated: 'Examinez les écrans en échec ou sans réponse. Continuez ensuite, ou arrêtez.',
    nothing_older: 'Vérifiez la version et le choix des écrans.',
  },

  rings: 'Étapes',
  ringState: {
    later: 'Viendra plus tard',
    notReached: 'Pas atteinte',
    telling: 'Les écrans reçoivent l’ordre',
    answering: 'Ordre donné ; en attente de réponses',
    comparing: 'Comparaison en cours',
    held: 'Attend une décision',
    stopped: 'Arrêté ici',
    done: 'Terminée',
  },
  next: {
    afterComparison: (time) =>
      `L’étape suivante commence d’elle-même après une comparaison de ${time}, si rien ne se dégrade.`,
    at: (time) => `L’étape suivante commence d’elle-même au plus tôt le ${time}, si rien ne se dégrade.`,
    overdue:
      'Moins de la moitié des écrans de cette étape ont la version. Si cela dure deux jours, le déploiement attend une décision.',
    lastRing: (time) =>
      `Il se termine quand tous les écrans ont répondu, au plus tard ${time} après le dernier ordre. Seules des mises à jour en échec l’arrêtent désormais.`,
  },
  counts: {
    waiting: (count) => plural(count, { one: '# non averti', other: '# non avertis' }),
    told: (count) => plural(count, { one: '# averti', other: '# avertis' }),
    failed: (count) => plural(count, { other: '# en échec' }),
  },
  updatedOf: (updated, chosen) => `${updated} sur ${plural(chosen, SCREENS)}`,
  ringOf: (number, share) => `Étape ${number} : jusqu’à ${share} des écrans`,

  comparison: 'Avant et après',
  comparedSince: (time) => `depuis le ${time}`,
  notComparedYet:
    'Les écrans de cette étape sont comparés environ une heure après le dernier ordre, dès que la plupart ont répondu.',
  lastNotCompared: 'Pour la dernière étape, il n’y a pas d’autres écrans à comparer.',
  nothingReported: 'Trop peu d’écrans ont transmis assez de mesures pour une comparaison.',
  endedBefore: 'Il s’est terminé avant que les écrans de cette étape soient comparés.',
  notEnoughYet: 'Les écrans de cette étape n’ont pas encore transmis assez de mesures.',
  measure: 'Mesure',
  withUpdate: 'Mis à jour',
  withoutUpdate: 'Autres',
  measures: {
    restarts: 'Redémarrages par jour',
    faults: 'Défauts par jour',
    dropped_frames: 'Images perdues',
    start_time: 'Durée d’un démarrage',
  },
  kindScreens: (updated, others) =>
    `${plural(updated, { other: '# mis à jour' })}, ${plural(others, { one: '# autre', other: '# autres' })}`,
  rareKinds: 'Appareils rares',
  unknownShell: 'shell inconnu',
  stoppedForThis: 'cause de l’arrêt',

  status: {
    waiting: 'Non averti',
    told: 'Averti',
    updated: 'A la version',
    failed: 'Échec',
    removed: 'Retiré',
  },
  anyStatus: 'Tous les écrans',
  showScreens: 'Afficher',
  noScreens: 'Aucun écran n’est dans cet état.',
  removedScreen: 'Écran retiré',
  ring: (number) => `étape ${number}`,
  toldAt: (time) => `averti le ${time}`,
  updatedAt: (time) => `mis à jour le ${time}`,
  codes: {
    rolled_back: 'La version n’y a pas fonctionné ; la précédente tourne de nouveau',
    not_offered: 'Son flux ne lui propose pas la version : vérifiez pourcentage, canal et architecture',
    expired: 'Était éteint pendant une semaine',
    other_version: 'Son flux proposait une autre version',
    not_configured: 'N’a pas de flux de mises à jour ou pas de clé de publication',
    no_helper: 'N’a pas été installé à partir d’un paquet et ne peut donc pas installer de mises à jour',
    no_release_key: 'Son assistant de mise à jour n’a pas de clé de publication',
    busy: 'Une autre mise à jour y était en cours d’installation',
    download_failed: 'Le téléchargement a échoué : vérifiez son réseau et le serveur de mises à jour',
    helper_silent: 'Son assistant de mise à jour ne répond pas',
    bad_feed: 'Sa liste de versions est illisible : vérifiez l’adresse du flux',
    old_feed:
      'Sa liste de versions est plus ancienne qu’une liste déjà reçue : vérifiez les caches intermédiaires',
    bad_signature: 'La signature est fausse ; rien n’a été installé',
    bad_manifest: 'La description du paquet n’est pas valide',
    wrong_package: 'Le paquet est celui d’un autre programme',
    wrong_arch: 'Le paquet est destiné à une autre architecture',
    wrong_contents: 'Le paquet ne contient pas ce que dit sa description',
    wrong_size: 'Le paquet n’a pas la taille que dit sa description',
    wrong_hash: 'Le paquet ne correspond pas à son empreinte signée',
    incomplete: 'Il manquait des fichiers de la mise à jour',
    not_an_upgrade: 'A cette version ou une plus récente',
    blocked: 'La version est bloquée : retirée du flux, ou déjà en échec sur cet écran',
    no_space: 'Espace disque insuffisant',
    no_way_back: 'La version précédente n’a pas pu être conservée ou restaurée',
    changed_by_hand: 'L’installation a été modifiée à la main',
    torn_state: 'Son disque a perdu l’état de la mise à jour',
    failed: 'Échec pour une raison inconnue',
    unknown: 'Échec pour une raison inconnue',
  },

  version: 'Version',
  versionHint:
    'Votre flux de mises à jour doit la proposer à tous les écrans (100 %), et aucune plus récente.',
  matches: (count) =>
    plural(count, {
      one: '# écran correspond ; il est mis à jour si sa version est plus ancienne.',
      other: '# écrans correspondent ; ceux dont la version est plus ancienne sont mis à jour.',
    }),
  more: 'Nom, étapes et durée',
  nameHint: 'Peut rester vide',
  ringsHint:
    'Part des écrans qui ont la version après chaque étape. La dernière étape n’est comparée à rien.',
  holdHint: 'Plus c’est long, plus la dégradation détectée est petite.',
  plan: (first, others, time) =>
    `D’abord jusqu’à ${first} des écrans, puis ${others} : chaque fois après une comparaison de ${time} et sans intervention, si rien ne se dégrade.`,
  planAll: 'Tous les écrans, l’un après l’autre, sans comparaison.',
  otherBegan: 'Un autre déploiement a commencé :',
  startNote:
    'Les écrans reçoivent l’ordre aussi pendant les heures d’ouverture ; chacun est noir le temps d’un démarrage.',
};

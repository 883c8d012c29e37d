import { pluralsOf } from '../../i18n/plural.ts';
import type { FleetTexts } from './english.ts';

const plural = pluralsOf('fr');

export const french: FleetTexts = {
  attention: 'À traiter',
  offlineDevices: (count) => `${count} hors ligne`,
  offlineAdvice:
    'Vérifiez l’alimentation et le réseau de ces écrans. Ils continuent de diffuser ce qu’ils ont stocké.',
  unknownFault:
    'Cette version de la console ne connaît pas ce défaut. Ouvrez un écran pour voir ce qu’il signale.',
  behindDevices: (count) =>
    plural(count, {
      one: '# en ligne, en retard sur sa révision',
      other: '# en ligne, en retard sur leur révision',
    }),
  behindAdvice:
    'Ils n’affichent pas encore ce qu’ils devraient. Si cela dure, ouvrez un écran et regardez son stockage et ses défauts.',
  oldVersion: (count, version) =>
    plural(count, { one: `# a la version ${version}`, other: `# ont la version ${version}` }),
  oldVersionAdvice: (newest) => `La plus récente ici est ${newest}. Faites-leur chercher des mises à jour.`,
  updates: 'Mises à jour',
  rolloutHeld: (version) => `Le déploiement de la version ${version} attend une décision`,
  rolloutHeldAdvice: 'Examinez la raison, puis poursuivez-le ou arrêtez-le.',
  rolloutStopped: (version) => `Le déploiement de la version ${version} a été arrêté`,
  rolloutForSome: (version) =>
    `Le déploiement de la version ${version} est terminé pour une partie des écrans`,
  rolloutHoldsAdvice:
    'Jusqu’à ce qu’il soit supprimé ou qu’un déploiement pour tous les écrans soit terminé, aucun écran ne se met à jour de lui-même.',
  showThem: 'Afficher',
  allVersions: 'Toutes les versions',
  versionIs: 'Version',
  faultIs: 'Défaut',
  revision: 'Révision',
  behind: 'En retard sur leur révision',
  current: 'À jour de leur révision',
  moreFilters: 'Défaut ou version',
  list: 'Liste',
  tiles: 'Vignettes',
  layout: 'Disposition',
  select: (name) => `Sélectionner ${name}`,
  selected: (count) => `${count} sélectionnés`,
  actOnSelected: 'Agir sur la sélection',
  actOnAll: (count) => `Agir sur les ${count}`,
  clearSelection: 'Annuler la sélection',
  bulkTitle: (count) =>
    plural(count, { one: 'Même action pour # appareil', other: 'Même action pour # appareils' }),
  action: 'Action',
  addTags: 'Ajouter des tags',
  removeTags: 'Retirer des tags',
  setStore: 'Déplacer vers un magasin',
  setOrientation: 'Définir l’orientation',
  deploy: 'Déployer une playlist',
  playlist: 'Playlist',
  tagsHint: 'Séparés par des virgules',
  checking: 'Vérification de ce que les écrans peuvent lire …',
  start: 'Lancer',
  stop: 'Laisser le reste',
  progress: (done, total) => `${done} sur ${total} traités`,
  failedCount: (count) => `${count} en échec`,
  finished: 'Terminé',
  cancelled: 'Arrêté ; ce qui est fait reste fait',
  running: 'Continue en arrière-plan, même une fois fermé',
  views: 'Vues',
  saveView: 'Enregistrer cette vue',
  viewName: 'Nom de la vue',
  removeView: (name) => `Supprimer ${name}`,
  noViews: 'Aucune vue n’est encore enregistrée dans ce navigateur.',
};

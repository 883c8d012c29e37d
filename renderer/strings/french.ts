import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid':
    'Un réglage n’est pas valide. Corrigez le réglage indiqué dans le journal et redémarrez le lecteur.',
  'data.unwritable':
    'Le dossier de données n’est pas accessible en écriture. Donnez ce droit au lecteur ou choisissez un autre dossier avec --data.',
  'data.locked':
    'Un autre lecteur utilise ce dossier de données. Arrêtez ce lecteur ou choisissez un autre dossier avec --data.',
  'store.corrupt':
    'La base de données du lecteur était endommagée. Elle a été mise de côté et reconstruite à partir des fichiers et du cloud. Aucune action n’est nécessaire.',
  'disk.full':
    'Le disque est plein. La lecture continue avec les médias enregistrés. Libérez de l’espace ou augmentez la limite du cache.',
  'disk.readonly':
    'Le disque est en lecture seule. La lecture continue avec les médias enregistrés. Vérifiez le disque ou la carte SD et redémarrez.',
  'cloud.unreachable':
    'Le cloud est injoignable. La lecture continue avec les médias enregistrés. Vérifiez le câble, le Wi\u2011Fi et l’adresse du serveur.',
  'cloud.refused':
    'Le cloud a refusé la requête. Vérifiez que l’adresse du serveur est correcte et que le cloud est à jour.',
  'cloud.not_placard':
    'Le serveur répond, mais ce n’est pas un cloud Placard. Vérifiez l’adresse du serveur, et si le réseau exige une page de connexion.',
  'cloud.busy': 'Le cloud demande au lecteur de patienter. Le lecteur réessaie automatiquement.',
  'cloud.tls':
    'La connexion sécurisée a échoué. Vérifiez la date et l’heure de cet appareil et le certificat du serveur.',
  'identity.shared':
    'Un autre appareil a la même identité, car son disque est une copie. Les deux continuent la lecture. Effacez le dossier de données de l’un d’eux et associez-le de nouveau.',
  'asset.gone':
    'Un fichier de la liste de lecture n’existe plus dans le cloud. Retirez l’élément de la liste ou envoyez le fichier de nouveau.',
  'asset.not_allowed':
    'Un fichier se trouve sur un serveur depuis lequel ce lecteur ne doit pas télécharger. Définissez l’adresse publique du cloud (--public-url) ou envoyez le fichier dans le cloud.',
  'manifest.unknown':
    'Le cloud a envoyé un élément que cette version du lecteur ne prend pas en charge. Il est ignoré\u00a0; le reste est diffusé. Mettez le lecteur à jour.',
  'asset.hash_mismatch':
    'Un fichier a été endommagé pendant le transfert et rejeté. Le lecteur le télécharge de nouveau.',
  'asset.download_failed': 'Un fichier n’a pas pu être téléchargé. Le lecteur réessaie automatiquement.',
  'playback.decode_failed':
    'Cet appareil ne peut pas décoder un fichier\u00a0; il est ignoré. Convertissez-le en MP4 H.264, JPEG ou PNG.',
  'playback.stalled': 'Une vidéo s’est figée et a été ignorée. Le lecteur la réessaie plus tard.',
  'playback.nothing_playable':
    'Aucun élément de la liste de lecture ne peut être affiché. La dernière image reste à l’écran. Vérifiez les éléments de la liste.',
  'plays.dropped': 'Certaines diffusions manquent dans les statistiques. Vérifiez le disque et le réseau.',
  'stage.lost': 'La page qui affiche les médias ne répond plus. Elle est relancée automatiquement.',
  'stage.safe_mode':
    'La page qui affiche les médias s’est arrêtée plusieurs fois. Pendant une heure, elle n’affiche que des images, sans carte graphique. Vérifiez le pilote graphique et les vidéos récentes.',
  'shell.none':
    'Aucun navigateur n’a été trouvé pour l’affichage. Installez Chromium, Chrome ou Edge, ou lancez le lecteur avec --shell headless.',
  'runtime.crashed':
    'Le processus du lecteur s’est arrêté de façon inattendue. Il est relancé automatiquement\u00a0; l’image reste à l’écran.',
};

export const french: Strings = {
  starting: 'Démarrage',
  pairing: {
    title: 'Associer cet écran',
    withPhone: 'Scannez avec votre téléphone',
    beforeAddress: 'ou ouvrez ',
    afterAddress: ' et saisissez ce code',
    renewsIn: (clock) => `Nouveau code dans ${clock}`,
    waiting: 'En attente d’un code',
    waitingHint: 'L’écran le demande automatiquement au serveur.',
  },
  paired: {
    title: 'Associé',
    ready: 'Cet écran télécharge ses médias.',
  },
  idle: {
    nothing: 'Rien n’est programmé pour le moment',
    screenshotsAllowed: 'Des captures de cet écran peuvent être faites à distance',
    screenshotsForbidden: 'Aucune capture de cet écran n’est faite',
  },
  playerInfo: {
    server: 'Serveur',
    version: 'Version',
    serial: 'Numéro de série',
    network: 'Réseau',
    noNetwork: 'Pas de connexion réseau',
    wired: 'câble',
    wireless: 'Wi\u2011Fi',
  },
  connectivity: {
    steps: { link: 'Réseau', address: 'Adresse', dns: 'DNS', server: 'Serveur', clock: 'Horloge' },
    states: { ok: 'OK', failed: 'échec', waiting: 'pas encore vérifié' },
    hints: {
      no_link: () =>
        'Cet appareil n’est pas connecté au réseau. Branchez le câble ou rejoignez un réseau Wi\u2011Fi.',
      no_address: () =>
        'Le réseau n’attribue pas d’adresse à cet appareil. Vérifiez le routeur (DHCP) ou configurez une adresse fixe.',
      name_not_found: ({ host }) =>
        `Le nom ${host} ne peut pas être résolu. Vérifiez l’adresse du serveur et le DNS de ce réseau.`,
      connection_refused: ({ host }) =>
        `${host} refuse la connexion. Vérifiez que le cloud est démarré et que le port est correct.`,
      no_route: ({ host }) =>
        `Aucune route ne mène de ce réseau à ${host}. Vérifiez la passerelle et le pare-feu.`,
      no_answer: ({ host }) => `${host} ne répond pas. Vérifiez l’adresse du serveur et le pare-feu.`,
      certificate: ({ host }) =>
        `Le certificat de ${host} n’est pas reconnu. Vérifiez-le, ainsi que la date et l’heure de cet appareil.`,
      clock_wrong: ({ date }) =>
        `L’horloge de cet appareil indique le ${date}\u00a0: aucun certificat n’est valable. Réglez la date et l’heure.`,
      not_placard: ({ host }) =>
        `${host} répond, mais ce n’est pas un cloud Placard. Vérifiez l’adresse du serveur, et si ce réseau exige une page de connexion.`,
      refused: ({ host }) =>
        `${host} refuse la requête. Vérifiez l’adresse du serveur et que le cloud est à jour.`,
      busy: ({ host }) => `${host} demande à cet écran de patienter. L’écran réessaie automatiquement.`,
      server_error: ({ host }) => `${host} signale une erreur interne. L’écran réessaie automatiquement.`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: 'Menu du technicien',
    back: 'Retour',
    close: 'Fermer',
    cancel: 'Annuler',
    loading: 'Un instant…',
    refresh: 'Actualiser',
    unknown: 'inconnu',
    noResponse: 'Le lecteur ne répond pas. Réessayez dans un instant.',
    cloudUnreachable:
      'Le cloud est injoignable\u00a0; les médias ne pourraient pas être téléchargés de nouveau. Vérifiez d’abord le réseau.',
    notPossible: (why) => `Échec\u00a0: ${why}`,
    readOnly:
      'Aucun code PIN n’est défini pour cet écran\u00a0: le menu est en lecture seule. Définissez-en un dans la configuration de l’appareil dans le cloud, ou à l’installation.',
    pin: {
      title: 'Saisissez le code PIN',
      digits: (count) => `${count} chiffres saisis`,
      enter: 'OK',
      erase: 'Effacer',
      wrong: 'Code PIN incorrect.',
      locked: (clock) => `Trop de codes PIN incorrects. Réessayez dans ${clock}.`,
    },
    network: {
      title: 'Test du réseau',
      ok: 'La connexion au serveur fonctionne.',
      responseTime: 'Temps de réponse',
      milliseconds: (count) => `${count} ms`,
      clockOffset: 'Écart de l’horloge',
      seconds: (count) => `${count} s`,
    },
    playing: {
      title: 'Lecture en cours',
      now: 'À l’écran',
      next: 'Ensuite',
      nothing: 'rien',
      playlist: 'Liste de lecture',
      reason: 'Raison',
      schedule: (name) => `programmation «\u00a0${name}\u00a0»`,
      deployment: 'liste déployée',
      none: 'rien de programmé ni de déployé',
      since: 'Depuis',
      until: 'Jusqu’à',
      kinds: { image: 'image', video: 'vidéo' },
      cloud: 'Cloud',
      connections: { online: 'connecté', offline: 'non connecté', connecting: 'connexion en cours' },
      contentStatus: 'Contenu',
      current: 'à jour',
      loading: 'mise à jour en cours',
    },
    cache: {
      title: 'Cache',
      used: 'Utilisé',
      limit: 'Limite',
      noLimit: 'taille du disque',
      free: 'Espace disque libre',
      files: 'Fichiers',
      missing: 'Fichiers manquants',
    },
    faults: {
      title: 'Défauts',
      none: 'Aucun défaut.',
      since: (time) => `depuis ${time}`,
    },
    pattern: {
      title: 'Mire',
      keys: 'Flèches ou toucher\u00a0: suivante. Retour\u00a0: fermer.',
      kinds: {
        geometry: 'Géométrie',
        colours: 'Couleurs',
        lines: 'Lignes de 1 pixel',
        motion: 'Mouvement',
      },
    },
    orientation: {
      title: 'Orientation',
      note: 'Ce choix ne vaut que pour cet appareil, jusqu’à ce que «\u00a0Suivre le cloud\u00a0» soit de nouveau sélectionné.',
      cloud: 'Suivre le cloud',
      kinds: {
        landscape: 'Paysage',
        portrait: 'Portrait',
        'landscape-flipped': 'Paysage, à l’envers',
        'portrait-flipped': 'Portrait, à l’envers',
      },
    },
    logs: {
      title: 'Enregistrer les journaux',
      question:
        'Enregistrer les journaux et l’état, sans les secrets, sur le disque de cet appareil, et sur une clé USB s’il y en a une\u00a0?',
      confirm: 'Enregistrer',
      saved: 'Enregistré dans\u00a0:',
    },
    clearCache: {
      title: 'Vider le cache',
      question:
        'Effacer tous les médias enregistrés\u00a0? L’image actuelle reste jusqu’à ce que les médias soient de nouveau téléchargés.',
      confirm: 'Effacer',
      done: 'Le cache a été vidé. Les médias sont de nouveau téléchargés.',
    },
    rePair: {
      title: 'Associer de nouveau',
      question:
        'Supprimer cette association\u00a0? L’écran affiche un nouveau code et ne diffuse rien tant qu’il n’est pas de nouveau associé.',
      confirm: 'Supprimer',
      done: 'Un nouveau code apparaît dans un instant.',
    },
    restart: {
      title: 'Relancer le lecteur',
      question: 'Relancer le lecteur\u00a0? L’image revient en quelques secondes.',
      confirm: 'Relancer',
      done: 'Le lecteur redémarre.',
    },
    reboot: {
      title: 'Redémarrer l’appareil',
      question: 'Redémarrer cet appareil\u00a0? L’écran reste noir pendant une minute environ.',
      confirm: 'Redémarrer',
      done: 'L’appareil redémarre.',
    },
  },
};

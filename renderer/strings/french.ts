import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid': 'Un réglage n’est pas valide. Corrigez le réglage indiqué et redémarrez.',
  'data.unwritable':
    'Le dossier de données n’est pas accessible en écriture. Donnez-en le droit au lecteur ou choisissez un autre dossier avec --data.',
  'data.locked':
    'Un autre lecteur utilise déjà ce dossier de données. Arrêtez-le ou choisissez un autre dossier avec --data.',
  'store.corrupt':
    'La base de données du lecteur était endommagée. Elle a été mise de côté et se reconstruit à partir des fichiers et du cloud\u00a0; rien à faire.',
  'disk.full':
    'Le disque est plein. L’écran continue avec ce qu’il a\u00a0; libérez de la place ou augmentez la limite du cache.',
  'disk.readonly':
    'Le disque est en lecture seule. L’écran continue avec ce qu’il a\u00a0; vérifiez le disque ou la carte SD et redémarrez.',
  'cloud.unreachable':
    'Le cloud est injoignable. L’écran continue avec ce qu’il a\u00a0; vérifiez le câble, le Wi\u2011Fi et l’adresse du serveur.',
  'cloud.refused':
    'Le cloud a refusé la requête. Vérifiez que l’adresse du serveur est juste et que le cloud est à jour.',
  'cloud.not_placard':
    'Le serveur a répondu, mais ce n’est pas un cloud Placard. Vérifiez l’adresse\u00a0; une page de connexion Wi\u2011Fi fait peut-être obstacle.',
  'cloud.busy': 'Le cloud demande au lecteur de ralentir\u00a0; il réessaie de lui-même.',
  'cloud.tls':
    'La connexion sécurisée a échoué. Vérifiez la date et l’heure de cet appareil et le certificat du serveur.',
  'identity.shared':
    'Un autre appareil utilise l’identité de cet écran\u00a0: une copie de son disque. Les deux continuent\u00a0; effacer les données du lecteur sur l’un d’eux et l’associer de nouveau.',
  'asset.gone':
    'Le cloud n’a plus un fichier de la liste de lecture. Retirez l’élément ou envoyez le fichier de nouveau.',
  'asset.not_allowed':
    'Un fichier se trouve à une adresse d’où ce lecteur ne doit rien télécharger. Indiquer au cloud son adresse publique (--public-url), ou déposer le fichier dans le cloud lui-même.',
  'manifest.unknown':
    'Le cloud a envoyé quelque chose que ce lecteur ne connaît pas ; c’est laissé de côté et le reste est diffusé. Mettre le lecteur à jour ; le défaut dit de quoi il s’agit.',
  'asset.hash_mismatch':
    'Un fichier est arrivé endommagé et a été rejeté\u00a0; il est téléchargé de nouveau.',
  'asset.download_failed': 'Un fichier n’a pas pu être téléchargé\u00a0; nouvel essai en cours.',
  'playback.decode_failed':
    'Un fichier ne peut pas être décodé sur cet appareil. Il est sauté\u00a0; convertissez-le en MP4 H.264, JPEG ou PNG.',
  'playback.stalled': 'Une vidéo s’est figée et a été sautée\u00a0; elle sera réessayée plus tard.',
  'playback.nothing_playable':
    'Rien dans la liste de lecture ne peut être affiché. La dernière bonne image reste\u00a0; vérifiez les éléments de la liste.',
  'plays.dropped':
    'Certaines diffusions n’ont pas pu être signalées et manquent dans les chiffres. Le défaut indique combien\u00a0; vérifiez le disque et l’accès au cloud.',
  'stage.lost': 'La page qui affiche l’image ne répondait plus\u00a0; elle est relancée.',
  'stage.safe_mode':
    'La page qui affiche l’image s’est arrêtée plusieurs fois. Pendant une heure, elle ne montre que des images, sans carte graphique\u00a0; vérifiez le pilote graphique et les vidéos récentes.',
  'shell.none':
    'Aucun moyen d’afficher une image n’a été trouvé. Installez Chromium, Chrome ou Edge, ou lancez avec --shell headless.',
  'runtime.crashed':
    'Le processus du lecteur s’est arrêté de façon inattendue\u00a0; il est relancé et l’image reste.',
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
    waitingHint: 'L’écran le demande lui-même au serveur.',
  },
  paired: {
    title: 'Associé',
    ready: 'Cet écran reçoit maintenant ses premières images.',
  },
  idle: {
    nothing: 'Rien n’est programmé pour le moment',
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
    states: { ok: 'en ordre', failed: 'en échec', waiting: 'pas encore connu' },
    hints: {
      no_link: () => 'Cet appareil n’a pas de réseau. Branchez le câble ou rejoignez un réseau Wi\u2011Fi.',
      no_address: () =>
        'Le réseau ne donne pas d’adresse à cet appareil. Vérifiez le routeur (DHCP) ou réglez une adresse fixe.',
      name_not_found: ({ host }) =>
        `Le nom ${host} est introuvable. Vérifiez l’adresse du serveur et le DNS de ce réseau.`,
      connection_refused: ({ host }) =>
        `${host} refuse la connexion. Vérifiez que le cloud fonctionne et que le port est juste.`,
      no_route: ({ host }) =>
        `Aucun chemin ne mène de ce réseau à ${host}. Vérifiez la passerelle et le pare-feu.`,
      no_answer: ({ host }) =>
        `${host} ne répond pas. Vérifiez l’adresse du serveur et que le pare-feu laisse passer.`,
      certificate: ({ host }) =>
        `Le certificat de ${host} n’est pas accepté. Vérifiez-le, ainsi que la date et l’heure de cet appareil.`,
      clock_wrong: ({ date }) =>
        `Cet appareil croit être le ${date}\u00a0: aucun certificat n’est valable. Réglez sa date et son heure.`,
      not_placard: ({ host }) =>
        `${host} répond, mais ce n’est pas un cloud Placard. Vérifiez l’adresse\u00a0; une page de connexion Wi\u2011Fi fait peut-être obstacle.`,
      refused: ({ host }) =>
        `${host} refuse la requête. Vérifiez l’adresse du serveur et que le cloud est à jour.`,
      busy: ({ host }) => `${host} demande à cet écran de ralentir. Il réessaie de lui-même.`,
      server_error: ({ host }) => `${host} a lui-même un problème. Cet écran réessaie de lui-même.`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: 'Menu du technicien',
    back: 'Retour',
    close: 'Fermer',
    cancel: 'Annuler',
    loading: 'Un instant',
    refresh: 'Encore une fois',
    unknown: 'inconnu',
    noResponse: 'Le lecteur ne répond pas pour l’instant. Réessayez dans un moment.',
    cloudUnreachable: 'Le cloud est injoignable pour le moment\u00a0; rien ne pourrait être rechargé.',
    notPossible: (why) => `Ce n’était pas possible. ${why}`,
    readOnly:
      'Aucun code PIN n’est défini pour cet écran\u00a0: le menu ne fait que montrer et ne change rien. Définissez-en un dans la configuration de l’appareil ou à l’installation.',
    pin: {
      title: 'Saisissez le code PIN',
      digits: (count) => `${count} chiffres saisis`,
      enter: 'OK',
      erase: 'Effacer',
      wrong: 'Ce code PIN est faux.',
      locked: (clock) => `Trop de codes PIN faux. Réessayez dans ${clock}.`,
    },
    network: {
      title: 'Test du réseau',
      ok: 'Le chemin vers le serveur est bon.',
      responseTime: 'Réponse après',
      milliseconds: (count) => `${count} ms`,
      clockOffset: 'Écart de l’horloge',
      seconds: (count) => `${count} s`,
    },
    playing: {
      title: 'En cours',
      now: 'À l’écran',
      next: 'Ensuite',
      nothing: 'rien',
      playlist: 'Liste de lecture',
      reason: 'Raison',
      schedule: (name) => `programmation «\u00a0${name}\u00a0»`,
      deployment: 'déployé sur cet écran',
      none: 'rien de programmé ni de déployé',
      since: 'Depuis',
      until: 'Jusqu’à',
      kinds: { image: 'image', video: 'vidéo' },
      cloud: 'Cloud',
      connections: { online: 'connecté', offline: 'non connecté', connecting: 'connexion en cours' },
      contentStatus: 'Programme',
      current: 'à jour',
      loading: 'un plus récent se charge',
    },
    cache: {
      title: 'Cache',
      used: 'Utilisé',
      limit: 'Limite',
      noLimit: 'aucune que le disque',
      free: 'Libre sur le disque',
      files: 'Fichiers',
      missing: 'Fichiers encore manquants',
    },
    faults: {
      title: 'Défauts',
      none: 'Il n’y a aucun défaut.',
      since: (time) => `depuis ${time}`,
    },
    pattern: {
      title: 'Mire',
      keys: 'Flèches ou toucher\u00a0: la suivante. Retour\u00a0: fin.',
      kinds: {
        geometry: 'Géométrie',
        colours: 'Couleurs',
        lines: 'Lignes de 1 pixel',
        motion: 'Mouvement',
      },
    },
    orientation: {
      title: 'Orientation',
      note: 'Un choix ne vaut que pour cet appareil, jusqu’à ce qu’il suive de nouveau le cloud.',
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
        'Les journaux et l’état, sans secrets, sont écrits sur le disque de cet appareil, et sur une clé USB s’il y en a une.',
      confirm: 'Enregistrer',
      saved: 'Enregistré\u00a0:',
    },
    clearCache: {
      title: 'Vider le cache',
      question:
        'Effacer tous les médias conservés\u00a0? Ce qui est à l’écran reste jusqu’à ce que ses médias soient rechargés.',
      confirm: 'Effacer',
      done: 'Le cache a été vidé et se remplit de nouveau.',
    },
    rePair: {
      title: 'Associer de nouveau',
      question:
        'Oublier cette association\u00a0? L’écran montre un nouveau code et ne joue rien tant qu’il n’est pas associé.',
      confirm: 'Oublier',
      done: 'Un nouveau code apparaît dans un instant.',
    },
    restart: {
      title: 'Relancer le lecteur',
      question: 'Relancer le lecteur\u00a0? L’image revient après quelques secondes.',
      confirm: 'Relancer',
      done: 'Le lecteur est relancé.',
    },
    reboot: {
      title: 'Redémarrer l’appareil',
      question: 'Redémarrer cet appareil\u00a0? L’écran reste noir pendant une minute environ.',
      confirm: 'Redémarrer',
      done: 'L’appareil redémarre.',
    },
  },
};

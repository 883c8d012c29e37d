import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid': 'Eine Einstellung ist ungültig. Die genannte Einstellung berichtigen und neu starten.',
  'data.unwritable':
    'Der Datenordner ist nicht beschreibbar. Dem Player Schreibrechte geben oder mit --data einen anderen wählen.',
  'data.locked':
    'Ein anderer Player benutzt diesen Datenordner bereits. Ihn beenden oder mit --data einen anderen Ordner wählen.',
  'store.corrupt':
    'Die Datenbank des Players war beschädigt. Sie wurde beiseitegelegt und entsteht aus den Dateien und der Cloud neu; es ist nichts zu tun.',
  'disk.full':
    'Der Datenträger ist voll. Der Bildschirm spielt weiter, was er hat; Platz schaffen oder das Cache-Limit anheben.',
  'disk.readonly':
    'Der Datenträger ist schreibgeschützt. Der Bildschirm spielt weiter, was er hat; Datenträger oder SD-Karte prüfen und neu starten.',
  'cloud.unreachable':
    'Die Cloud ist nicht erreichbar. Der Bildschirm spielt weiter, was er hat; Kabel, WLAN und Serveradresse prüfen.',
  'cloud.refused':
    'Die Cloud hat die Anfrage abgelehnt. Prüfen, ob die Serveradresse stimmt und die Cloud aktuell ist.',
  'cloud.not_placard':
    'Der Server hat geantwortet, ist aber keine Placard-Cloud. Serveradresse prüfen; vielleicht ist eine WLAN-Anmeldeseite im Weg.',
  'cloud.busy': 'Die Cloud bittet den Player, langsamer zu machen; er versucht es von selbst erneut.',
  'cloud.tls':
    'Die sichere Verbindung ist fehlgeschlagen. Datum und Uhrzeit dieses Geräts und das Zertifikat des Servers prüfen.',
  'identity.shared':
    'Ein anderes Gerät benutzt die Identität dieses Bildschirms: eine Kopie seines Datenträgers. Beide spielen weiter; auf einem von beiden die Daten des Players löschen und dieses neu koppeln.',
  'asset.gone':
    'Die Cloud hat eine Datei der Playlist nicht mehr. Den Eintrag entfernen oder die Datei erneut hochladen.',
  'asset.not_allowed':
    'Eine Datei liegt an einer Adresse, von der dieser Player nicht laden darf. Der Cloud ihre öffentliche Adresse geben (--public-url) oder die Datei in die Cloud selbst hochladen.',
  'manifest.unknown':
    'Die Cloud schickte etwas, das dieser Player nicht kennt; es wurde weggelassen, der Rest läuft. Den Player aktualisieren; die Störung sagt, was es war.',
  'asset.hash_mismatch': 'Eine Datei kam beschädigt an und wurde verworfen; sie wird erneut geladen.',
  'asset.download_failed': 'Eine Datei konnte nicht geladen werden; es wird erneut versucht.',
  'playback.decode_failed':
    'Eine Datei lässt sich auf diesem Gerät nicht abspielen. Sie wird übersprungen; in H.264-MP4, JPEG oder PNG umwandeln.',
  'playback.stalled': 'Ein Video blieb stehen und wurde übersprungen; es wird später erneut versucht.',
  'playback.nothing_playable':
    'Nichts in der Playlist lässt sich zeigen. Das letzte gute Bild bleibt; die Einträge der Playlist prüfen.',
  'plays.dropped':
    'Manche Vorführungen konnten nicht gemeldet werden und fehlen in den Zahlen. Die Störung sagt, wie viele; Datenträger und Weg zur Cloud prüfen.',
  'stage.lost': 'Die Seite, die das Bild zeigt, antwortete nicht mehr; sie wird neu gestartet.',
  'stage.safe_mode':
    'Die Seite, die das Bild zeigt, ist mehrmals abgestürzt. Sie zeigt eine Stunde lang nur Bilder und zeichnet ohne Grafikkarte; Grafiktreiber und die neuesten Videos prüfen.',
  'shell.none':
    'Es gibt keinen Weg, ein Bild zu zeigen. Chromium, Chrome oder Edge installieren oder mit --shell headless starten.',
  'runtime.crashed':
    'Der Prozess des Players endete unerwartet; er wird neu gestartet, das Bild bleibt stehen.',
};

export const german: Strings = {
  starting: 'Wird gestartet',
  pairing: {
    title: 'Diesen Bildschirm koppeln',
    withPhone: 'Mit dem Handy scannen',
    beforeAddress: 'oder ',
    afterAddress: ' öffnen und diesen Code eingeben',
    renewsIn: (clock) => `Neuer Code in ${clock}`,
    waiting: 'Warten auf einen Code',
    waitingHint: 'Der Bildschirm holt ihn sich selbst beim Server.',
  },
  paired: {
    title: 'Gekoppelt',
    ready: 'Dieser Bildschirm bekommt jetzt seine ersten Bilder.',
  },
  idle: {
    nothing: 'Zurzeit ist nichts geplant',
  },
  playerInfo: {
    server: 'Server',
    version: 'Version',
    serial: 'Seriennummer',
    network: 'Netzwerk',
    noNetwork: 'Keine Netzwerkverbindung',
    wired: 'Kabel',
    wireless: 'WLAN',
  },
  connectivity: {
    steps: { link: 'Netzwerk', address: 'Adresse', dns: 'DNS', server: 'Server', clock: 'Uhr' },
    states: { ok: 'in Ordnung', failed: 'gestört', waiting: 'noch unbekannt' },
    hints: {
      no_link: () => 'Dieses Gerät hat kein Netzwerk. Kabel einstecken oder mit einem WLAN verbinden.',
      no_address: () =>
        'Das Netzwerk gibt diesem Gerät keine Adresse. Router (DHCP) prüfen oder eine feste Adresse einstellen.',
      name_not_found: ({ host }) =>
        `Der Name ${host} ist nicht zu finden. Serveradresse und DNS dieses Netzwerks prüfen.`,
      connection_refused: ({ host }) =>
        `${host} lehnt die Verbindung ab. Prüfen, ob die Cloud läuft und der Port stimmt.`,
      no_route: ({ host }) => `Aus diesem Netzwerk führt kein Weg zu ${host}. Gateway und Firewall prüfen.`,
      no_answer: ({ host }) =>
        `${host} antwortet nicht. Serveradresse prüfen, und ob eine Firewall die Verbindung durchlässt.`,
      certificate: ({ host }) =>
        `Das Zertifikat von ${host} wird nicht angenommen. Zertifikat sowie Datum und Uhrzeit dieses Geräts prüfen.`,
      clock_wrong: ({ date }) =>
        `Dieses Gerät glaubt, es sei der ${date}; damit gilt kein Zertifikat. Datum und Uhrzeit stellen.`,
      not_placard: ({ host }) =>
        `${host} antwortet, ist aber keine Placard-Cloud. Serveradresse prüfen; vielleicht ist eine WLAN-Anmeldeseite im Weg.`,
      refused: ({ host }) =>
        `${host} lehnt die Anfrage ab. Serveradresse prüfen, und ob die Cloud aktuell ist.`,
      busy: ({ host }) => `${host} bittet um Geduld. Der Bildschirm versucht es von selbst erneut.`,
      server_error: ({ host }) =>
        `${host} hat selbst eine Störung. Der Bildschirm versucht es von selbst erneut.`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: 'Technikermenü',
    back: 'Zurück',
    close: 'Schließen',
    cancel: 'Abbrechen',
    loading: 'Einen Moment',
    refresh: 'Noch einmal',
    unknown: 'unbekannt',
    noResponse: 'Der Player antwortet gerade nicht. Gleich noch einmal versuchen.',
    cloudUnreachable: 'Die Cloud ist gerade nicht erreichbar; nichts könnte neu geladen werden.',
    notPossible: (why) => `Das ging nicht. ${why}`,
    readOnly:
      'Für diesen Bildschirm ist keine PIN gesetzt: Das Menü zeigt nur und ändert nichts. Eine PIN lässt sich in der Konfiguration des Geräts oder bei der Installation setzen.',
    pin: {
      title: 'PIN eingeben',
      digits: (count) => `${count} Ziffern eingegeben`,
      enter: 'OK',
      erase: 'Löschen',
      wrong: 'Diese PIN ist falsch.',
      locked: (clock) => `Zu viele falsche PINs. Wieder möglich in ${clock}.`,
    },
    network: {
      title: 'Netzwerktest',
      ok: 'Der Weg zum Server steht.',
      responseTime: 'Antwort nach',
      milliseconds: (count) => `${count} ms`,
      clockOffset: 'Uhr geht falsch um',
      seconds: (count) => `${count} s`,
    },
    playing: {
      title: 'Was läuft',
      now: 'Auf dem Bildschirm',
      next: 'Danach',
      nothing: 'nichts',
      playlist: 'Playlist',
      reason: 'Grund',
      schedule: (name) => `Zeitplan „${name}“`,
      deployment: 'diesem Bildschirm zugewiesen',
      none: 'nichts geplant oder zugewiesen',
      since: 'Seit',
      until: 'Bis',
      kinds: { image: 'Bild', video: 'Video' },
      cloud: 'Cloud',
      connections: { online: 'verbunden', offline: 'nicht verbunden', connecting: 'wird verbunden' },
      contentStatus: 'Programm',
      current: 'aktuell',
      loading: 'ein neueres wird geladen',
    },
    cache: {
      title: 'Cache',
      used: 'Belegt',
      limit: 'Limit',
      noLimit: 'nur der Datenträger',
      free: 'Frei auf dem Datenträger',
      files: 'Dateien',
      missing: 'Noch fehlende Dateien',
    },
    faults: {
      title: 'Störungen',
      none: 'Es gibt keine Störungen.',
      since: (time) => `seit ${time}`,
    },
    pattern: {
      title: 'Testbild',
      keys: 'Pfeiltasten oder Tippen: das nächste. Zurück: Ende.',
      kinds: { geometry: 'Geometrie', colours: 'Farben', lines: '1-Pixel-Linien', motion: 'Bewegung' },
    },
    orientation: {
      title: 'Ausrichtung',
      note: 'Eine Auswahl gilt nur für dieses Gerät, bis es wieder der Cloud folgt.',
      cloud: 'Der Cloud folgen',
      kinds: {
        landscape: 'Querformat',
        portrait: 'Hochformat',
        'landscape-flipped': 'Querformat, auf dem Kopf',
        'portrait-flipped': 'Hochformat, auf dem Kopf',
      },
    },
    logs: {
      title: 'Logs speichern',
      question:
        'Logs und Status, ohne Geheimnisse, werden auf den Datenträger dieses Geräts geschrieben, und auf einen USB-Stick, wenn einer steckt.',
      confirm: 'Speichern',
      saved: 'Gespeichert:',
    },
    clearCache: {
      title: 'Cache leeren',
      question:
        'Alle gespeicherten Medien löschen? Was auf dem Bildschirm ist, bleibt, bis seine Medien wieder geladen sind.',
      confirm: 'Löschen',
      done: 'Der Cache wurde geleert und füllt sich wieder.',
    },
    rePair: {
      title: 'Neu koppeln',
      question:
        'Diese Kopplung vergessen? Der Bildschirm zeigt einen neuen Code und spielt nichts, bis er gekoppelt ist.',
      confirm: 'Vergessen',
      done: 'Gleich erscheint ein neuer Code.',
    },
    restart: {
      title: 'Player neu starten',
      question: 'Den Player neu starten? Das Bild ist nach wenigen Sekunden wieder da.',
      confirm: 'Neu starten',
      done: 'Der Player startet neu.',
    },
    reboot: {
      title: 'Gerät neu starten',
      question: 'Dieses Gerät neu starten? Der Bildschirm bleibt etwa eine Minute dunkel.',
      confirm: 'Neu starten',
      done: 'Das Gerät startet neu.',
    },
  },
};

import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid':
    'Eine Einstellung ist ungültig. Die im Log genannte Einstellung berichtigen und den Player neu starten.',
  'data.unwritable':
    'Der Datenordner ist nicht beschreibbar. Dem Player Schreibrechte geben oder mit --data einen anderen Ordner wählen.',
  'data.locked':
    'Ein anderer Player benutzt diesen Datenordner. Diesen Player beenden oder mit --data einen anderen Ordner wählen.',
  'store.corrupt':
    'Die Datenbank des Players war beschädigt. Sie wurde gesichert und aus den Dateien und der Cloud neu aufgebaut. Es ist nichts zu tun.',
  'disk.full':
    'Der Datenträger ist voll. Die Wiedergabe läuft mit den gespeicherten Medien weiter. Platz schaffen oder das Cache-Limit erhöhen.',
  'disk.readonly':
    'Der Datenträger ist schreibgeschützt. Die Wiedergabe läuft mit den gespeicherten Medien weiter. Datenträger oder SD-Karte prüfen und neu starten.',
  'cloud.unreachable':
    'Die Cloud ist nicht erreichbar. Die Wiedergabe läuft mit den gespeicherten Medien weiter. Kabel, WLAN und Serveradresse prüfen.',
  'cloud.refused':
    'Die Cloud hat die Anfrage abgelehnt. Prüfen, ob die Serveradresse stimmt und die Cloud aktuell ist.',
  'cloud.not_placard':
    'Der Server antwortet, ist aber keine Placard-Cloud. Serveradresse prüfen, und ob das Netzwerk eine Anmeldeseite hat.',
  'cloud.busy': 'Die Cloud bittet den Player zu warten. Er versucht es automatisch erneut.',
  'cloud.tls':
    'Die sichere Verbindung ist fehlgeschlagen. Datum und Uhrzeit dieses Geräts und das Zertifikat des Servers prüfen.',
  'identity.shared':
    'Ein anderes Gerät hat dieselbe Identität, weil sein Datenträger eine Kopie ist. Beide spielen weiter. Auf einem von beiden den Datenordner löschen und es neu koppeln.',
  'asset.gone':
    'Eine Datei der Playlist ist nicht mehr in der Cloud. Den Eintrag aus der Playlist entfernen oder die Datei erneut hochladen.',
  'asset.not_allowed':
    'Eine Datei liegt auf einem Server, von dem dieser Player nicht laden darf. Die öffentliche Adresse der Cloud einstellen (--public-url) oder die Datei in die Cloud hochladen.',
  'manifest.unknown':
    'Die Cloud hat etwas gesendet, das diese Version des Players nicht kennt. Es wurde ausgelassen, der Rest läuft. Den Player aktualisieren.',
  'asset.hash_mismatch':
    'Eine Datei wurde bei der Übertragung beschädigt und verworfen. Der Player lädt sie erneut.',
  'asset.download_failed':
    'Eine Datei konnte nicht geladen werden. Der Player versucht es automatisch erneut.',
  'playback.decode_failed':
    'Dieses Gerät kann eine Datei nicht abspielen; sie wird übersprungen. In H.264-MP4, JPEG oder PNG umwandeln.',
  'playback.stalled':
    'Ein Video ist hängen geblieben und wurde übersprungen. Der Player versucht es später erneut.',
  'playback.nothing_playable':
    'Kein Eintrag der Playlist lässt sich anzeigen. Das letzte Bild bleibt stehen. Die Einträge der Playlist prüfen.',
  'plays.dropped': 'In der Auswertung fehlen einige Wiedergaben. Datenträger und Netzwerk prüfen.',
  'stage.lost': 'Die Seite, die die Medien anzeigt, reagiert nicht mehr. Sie wird automatisch neu gestartet.',
  'stage.safe_mode':
    'Die Seite, die die Medien anzeigt, ist mehrmals abgestürzt. Eine Stunde lang zeigt sie nur Bilder, ohne Grafikkarte. Grafiktreiber und die neuesten Videos prüfen.',
  'shell.none':
    'Es wurde kein Browser für die Anzeige gefunden. Chromium, Chrome oder Edge installieren oder den Player mit --shell headless starten.',
  'runtime.crashed':
    'Der Prozess des Players wurde unerwartet beendet. Er wird automatisch neu gestartet; das Bild bleibt stehen.',
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
    waitingHint: 'Der Bildschirm fordert ihn automatisch beim Server an.',
  },
  paired: {
    title: 'Gekoppelt',
    ready: 'Dieser Bildschirm lädt jetzt seine Medien.',
  },
  idle: {
    nothing: 'Zurzeit ist nichts geplant',
    screenshotsAllowed: 'Von diesem Bildschirm können aus der Ferne Bildschirmfotos gemacht werden',
    screenshotsForbidden: 'Von diesem Bildschirm werden keine Bildschirmfotos gemacht',
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
    states: { ok: 'in Ordnung', failed: 'fehlgeschlagen', waiting: 'noch nicht geprüft' },
    hints: {
      no_link: () =>
        'Dieses Gerät hat keine Netzwerkverbindung. Kabel einstecken oder mit einem WLAN verbinden.',
      no_address: () =>
        'Das Netzwerk weist diesem Gerät keine Adresse zu. Router (DHCP) prüfen oder eine feste Adresse einstellen.',
      name_not_found: ({ host }) =>
        `Der Name ${host} lässt sich nicht auflösen. Serveradresse und DNS dieses Netzwerks prüfen.`,
      connection_refused: ({ host }) =>
        `${host} lehnt die Verbindung ab. Prüfen, ob die Cloud läuft und der Port stimmt.`,
      no_route: ({ host }) =>
        `Aus diesem Netzwerk gibt es keine Route zu ${host}. Gateway und Firewall prüfen.`,
      no_answer: ({ host }) => `${host} antwortet nicht. Serveradresse und Firewall prüfen.`,
      certificate: ({ host }) =>
        `Das Zertifikat von ${host} ist nicht vertrauenswürdig. Zertifikat sowie Datum und Uhrzeit dieses Geräts prüfen.`,
      clock_wrong: ({ date }) =>
        `Die Uhr dieses Geräts zeigt den ${date}, daher ist kein Zertifikat gültig. Datum und Uhrzeit einstellen.`,
      not_placard: ({ host }) =>
        `${host} antwortet, ist aber keine Placard-Cloud. Serveradresse prüfen, und ob dieses Netzwerk eine Anmeldeseite hat.`,
      refused: ({ host }) =>
        `${host} lehnt die Anfrage ab. Serveradresse prüfen, und ob die Cloud aktuell ist.`,
      busy: ({ host }) => `${host} bittet zu warten. Der Bildschirm versucht es automatisch erneut.`,
      server_error: ({ host }) =>
        `${host} meldet einen internen Fehler. Der Bildschirm versucht es automatisch erneut.`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: 'Technikermenü',
    back: 'Zurück',
    close: 'Schließen',
    cancel: 'Abbrechen',
    loading: 'Einen Moment …',
    refresh: 'Aktualisieren',
    unknown: 'unbekannt',
    noResponse: 'Der Player antwortet nicht. In einem Moment noch einmal versuchen.',
    cloudUnreachable:
      'Die Cloud ist nicht erreichbar; die Medien könnten nicht neu geladen werden. Zuerst das Netzwerk prüfen.',
    notPossible: (why) => `Fehlgeschlagen: ${why}`,
    readOnly:
      'Für diesen Bildschirm ist keine PIN gesetzt; im Menü lässt sich daher nichts ändern. Eine PIN in der Gerätekonfiguration der Cloud oder bei der Installation setzen.',
    pin: {
      title: 'PIN eingeben',
      digits: (count) => `${count} Ziffern eingegeben`,
      enter: 'OK',
      erase: 'Löschen',
      wrong: 'Falsche PIN.',
      locked: (clock) => `Zu viele falsche PINs. Nächster Versuch in ${clock}.`,
    },
    network: {
      title: 'Netzwerktest',
      ok: 'Die Verbindung zum Server funktioniert.',
      responseTime: 'Antwortzeit',
      milliseconds: (count) => `${count} ms`,
      clockOffset: 'Abweichung der Uhr',
      seconds: (count) => `${count} s`,
    },
    playing: {
      title: 'Aktuelle Wiedergabe',
      now: 'Auf dem Bildschirm',
      next: 'Danach',
      nothing: 'nichts',
      playlist: 'Playlist',
      reason: 'Grund',
      schedule: (name) => `Zeitplan „${name}“`,
      deployment: 'zugewiesene Playlist',
      none: 'nichts geplant oder zugewiesen',
      since: 'Seit',
      until: 'Bis',
      kinds: { image: 'Bild', video: 'Video' },
      cloud: 'Cloud',
      connections: { online: 'verbunden', offline: 'nicht verbunden', connecting: 'wird verbunden' },
      contentStatus: 'Inhalte',
      current: 'aktuell',
      loading: 'werden aktualisiert',
    },
    cache: {
      title: 'Cache',
      used: 'Belegt',
      limit: 'Limit',
      noLimit: 'nur die Größe des Datenträgers',
      free: 'Frei auf dem Datenträger',
      files: 'Dateien',
      missing: 'Fehlende Dateien',
    },
    faults: {
      title: 'Störungen',
      none: 'Keine Störungen.',
      since: (time) => `seit ${time}`,
    },
    pattern: {
      title: 'Testbild',
      keys: 'Pfeiltasten oder Tippen: weiter. Zurück: beenden.',
      kinds: { geometry: 'Geometrie', colours: 'Farben', lines: '1-Pixel-Linien', motion: 'Bewegung' },
    },
    orientation: {
      title: 'Ausrichtung',
      note: 'Die Auswahl gilt nur für dieses Gerät, bis wieder „Wie in der Cloud“ gewählt wird.',
      cloud: 'Wie in der Cloud',
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
        'Logs und Status (ohne Geheimnisse) auf dem Datenträger dieses Geräts speichern, und auf einem USB-Stick, falls einer steckt?',
      confirm: 'Speichern',
      saved: 'Gespeichert unter:',
    },
    clearCache: {
      title: 'Cache leeren',
      question:
        'Alle gespeicherten Medien löschen? Das aktuelle Bild bleibt stehen, bis die Medien neu geladen sind.',
      confirm: 'Löschen',
      done: 'Der Cache wurde geleert. Die Medien werden neu geladen.',
    },
    rePair: {
      title: 'Neu koppeln',
      question:
        'Diese Kopplung aufheben? Der Bildschirm zeigt einen neuen Code und spielt nichts, bis er wieder gekoppelt ist.',
      confirm: 'Aufheben',
      done: 'Gleich erscheint ein neuer Code.',
    },
    restart: {
      title: 'Player neu starten',
      question: 'Den Player neu starten? Das Bild ist nach wenigen Sekunden wieder da.',
      confirm: 'Neu starten',
      done: 'Der Player wird neu gestartet.',
    },
    reboot: {
      title: 'Gerät neu starten',
      question: 'Dieses Gerät neu starten? Der Bildschirm bleibt etwa eine Minute dunkel.',
      confirm: 'Neu starten',
      done: 'Das Gerät wird neu gestartet.',
    },
  },
};

import { pluralsOf } from '../../i18n/plural.ts';
import type { RolloutTexts } from './english.ts';

const plural = pluralsOf('de');
const SCREENS = { one: '# Bildschirm', other: '# Bildschirme' };
const OF_SCREENS = { one: '# Bildschirm', other: '# Bildschirmen' };

export const german: RolloutTexts = {
  title: 'Player-Updates',
  notForBound:
    'Sie sind für bestimmte Filialen zuständig. Ein Rollout betrifft die Bildschirme aller Filialen; deshalb sehen Sie keine Rollouts.',
  rollouts: 'Rollouts',
  none: 'Es wurde noch keine Version verteilt',
  noneHint:
    'Ein Rollout gibt eine neue Version des Players zuerst wenigen Bildschirmen, vergleicht sie mit den übrigen und geht nur weiter, solange nichts schlechter wird. Er braucht einen Update-Feed, der die Version allen Bildschirmen anbietet, und Bildschirme mit einer älteren Version.',
  start: 'Rollout beginnen',
  startAfter: 'Der nächste Rollout kann beginnen, wenn dieser beendet ist.',
  began: (time) => `begonnen am ${time}`,

  selecting: 'Bildschirme werden ausgewählt',
  atRing: (ring, rings, share) => `Stufe ${ring} von ${rings} (bis ${share})`,
  running: (at) => `Läuft: ${at}`,
  held: (at) => `Wartet auf eine Entscheidung: ${at}`,
  stopped: (at) => `Von selbst gestoppt: ${at}`,
  stoppedByHand: (at) => `Von Hand gestoppt: ${at}`,
  stoppedAt: (at) => `Gestoppt: ${at}`,
  stoppedBeforeBeginning: 'Von Hand gestoppt, vor der ersten Stufe',
  finished: 'Abgeschlossen',
  updatedOfRing: (updated, chosen) => `${updated} von ${chosen} in dieser Stufe aktualisiert`,
  updatedOfAll: (updated, fleet) => `${updated} von ${fleet} aktualisiert`,

  state: 'Stand',
  whatToDo: 'Was zu tun ist',
  screens: 'Bildschirme',
  reached: 'Bildschirme mit älterer Version',
  beganAt: 'Begonnen',
  endedAt: 'Beendet',
  heldFor: 'Vergleich je Stufe',
  holdsUpdates:
    'Bis der Rollout abgeschlossen ist, aktualisiert sich kein Bildschirm der Organisation von selbst.',
  holdsUntilAll:
    'Kein Bildschirm der Organisation aktualisiert sich von selbst, bis dieser Rollout gelöscht oder einer für alle Bildschirme abgeschlossen ist.',
  selfUpdating: (count) =>
    plural(count, {
      one: '# Bildschirm hat einen Player, der zu alt ist, um zu warten, bis er an der Reihe ist: Er aktualisiert sich auch von selbst.',
      other:
        '# Bildschirme haben Player, die zu alt sind, um zu warten, bis sie an der Reihe sind: Sie aktualisieren sich auch von selbst.',
    }),
  stop: 'Stoppen',
  stopQuestion: (version) => `Rollout von ${version} stoppen?`,
  stopHint:
    'Keinem weiteren Bildschirm wird das Update aufgetragen. Bildschirme mit der Version behalten sie. Ein gestoppter Rollout kann nicht fortgesetzt werden.',
  continue: 'Mit der nächsten Stufe fortfahren',
  continueQuestion: (count) =>
    plural(count, {
      one: '# weiterem Bildschirm das Update auftragen?',
      other: '# weiteren Bildschirmen das Update auftragen?',
    }),
  continueHint: 'Ein Auftrag, den ein Bildschirm erhalten hat, kann nicht zurückgenommen werden.',
  delete: 'Löschen',
  deleteQuestion: (version) => `Rollout von ${version} löschen?`,
  deleteHint: 'Die Liste seiner Bildschirme geht verloren. Bildschirme behalten ihre Version.',
  deleteHolding: 'Danach aktualisieren sich Bildschirme wieder von selbst, wie es ihr Feed vorsieht.',

  causes: {
    stopped_by_hand: (name) => `Gestoppt von ${name}.`,
    worse: ({ what, kind, before, after, updated, othersBefore, othersAfter, others }) =>
      `${what}${kind === '' ? '' : ` (${kind})`}: ${before} vor dem Update, ${after} danach (${plural(updated, SCREENS)}). ` +
      `Ohne das Update: vorher ${othersBefore}, jetzt ${othersAfter} (${plural(others, SCREENS)}).`,
    not_coming_back: ({ silent, told, kind, othersSilent, others }) =>
      `${silent} von ${plural(told, OF_SCREENS)}${kind === '' ? '' : ` (${kind})`} mit Update-Auftrag haben sich nicht zurückgemeldet. ` +
      `Von ${plural(others, OF_SCREENS)} ohne Auftrag melden sich ${othersSilent} nicht.`,
    broken_update: ({ broken, answered, kind }) =>
      `Auf ${broken} von ${plural(answered, OF_SCREENS)}${kind === '' ? '' : ` (${kind})`} konnte die Version nicht installiert werden oder funktionierte nicht. ` +
      'Dort läuft die vorherige Version.',
    nothing_compared: 'Nichts konnte verglichen werden: Zu wenige Bildschirme haben genug gemeldet.',
    too_few_updated: ({ alive, chosen, failed, told }) =>
      `Nur ${alive} von ${plural(chosen, OF_SCREENS)} dieser Stufe haben die Version und waren am letzten Tag online. ` +
      `Fehlgeschlagen: ${failed}. Nichts bekannt: ${told}.`,
    nothing_older: 'Kein Bildschirm, der gewählt ist, hat eine ältere Version.',
  },
  advice: {
    stopped_by_hand: '',
    worse:
      'Sperren Sie die Version in Ihrem Update-Feed. Verteilen Sie danach eine korrigierte Version mit höherer Nummer; bis dahin behalten diese Bildschirme die Version.',
    not_coming_back:
      'Prüfen Sie die stummen Bildschirme vor Ort: Strom, Netz, Bild. In der Liste der Geräte haben sie den Status „Offline“. Sperren Sie die Version in Ihrem Update-Feed und verteilen Sie danach eine korrigierte Version mit höherer Nummer.',
    broken_update:
      'Die Liste der Bildschirme unten nennt je Bildschirm den Grund. Sperren Sie die Version in Ihrem Update-Feed und verteilen Sie danach eine korrigierte Version mit höherer Nummer.',
    nothing_compared:
      'Sehen Sie sich einige Bildschirme dieser Stufe an. Fahren Sie fort, wenn dort alles in Ordnung ist. Mit weniger als etwa 300 Bildschirmen ist meist kein Vergleich möglich.',
    too_few_updated:
      'Sehen Sie sich die Bildschirme an, die fehlgeschlagen sind oder nicht geantwortet haben. Fahren Sie dann fort oder stoppen Sie.',
    nothing_older: 'Prüfen Sie die Version und die Auswahl der Bildschirme.',
  },

  rings: 'Stufen',
  ringState: {
    later: 'Kommt später an die Reihe',
    notReached: 'Nicht erreicht',
    telling: 'Update wird aufgetragen',
    answering: 'Aufgetragen; wartet auf Antworten',
    comparing: 'Wird verglichen',
    held: 'Wartet auf eine Entscheidung',
    stopped: 'Hier gestoppt',
    done: 'Fertig',
  },
  next: {
    afterComparison: (time) =>
      `Nach ${time} Vergleich beginnt die nächste Stufe von selbst, wenn nichts schlechter wird.`,
    at: (time) => `Die nächste Stufe beginnt frühestens am ${time} von selbst, wenn nichts schlechter wird.`,
    overdue:
      'Weniger als die Hälfte der Bildschirme dieser Stufe hat die Version. Bleibt das zwei Tage lang so, wartet der Rollout auf eine Entscheidung.',
    lastRing: (time) =>
      `Der Rollout ist abgeschlossen, wenn alle geantwortet haben, spätestens ${time} nach dem letzten Auftrag. Jetzt stoppen ihn nur noch fehlgeschlagene Updates.`,
  },
  counts: {
    waiting: (count) => plural(count, { other: '# ohne Auftrag' }),
    told: (count) => plural(count, { other: '# beauftragt' }),
    failed: (count) => plural(count, { other: '# fehlgeschlagen' }),
  },
  updatedOf: (updated, chosen) => `${updated} von ${plural(chosen, OF_SCREENS)}`,
  ringOf: (number, share) => `Stufe ${number}: bis ${share} der Bildschirme`,

  comparison: 'Vorher und nachher',
  comparedSince: (time) => `seit ${time}`,
  notComparedYet:
    'Die Bildschirme dieser Stufe werden etwa eine Stunde nach dem letzten Auftrag verglichen, sobald die meisten geantwortet haben.',
  lastNotCompared: 'In der letzten Stufe gibt es keine anderen Bildschirme zum Vergleich.',
  nothingReported: 'Zu wenige Bildschirme haben genug für einen Vergleich gemeldet.',
  endedBefore: 'Er endete, bevor die Bildschirme dieser Stufe verglichen wurden.',
  notEnoughYet: 'Die Bildschirme dieser Stufe haben noch nicht genug gemeldet.',
  measure: 'Messgröße',
  withUpdate: 'Mit Update',
  withoutUpdate: 'Ohne',
  measures: {
    restarts: 'Neustarts pro Tag',
    faults: 'Störungen pro Tag',
    dropped_frames: 'Ausgelassene Bilder',
    start_time: 'Dauer eines Starts',
  },
  kindScreens: (updated, others) =>
    `${plural(updated, { other: '# mit Update' })}, ${plural(others, { other: '# ohne' })}`,
  rareKinds: 'Seltene Geräte',
  unknownShell: 'unbekannte Shell',
  stoppedForThis: 'deshalb gestoppt',

  status: {
    waiting: 'Ohne Auftrag',
    told: 'Beauftragt',
    updated: 'Hat die Version',
    failed: 'Fehlgeschlagen',
    removed: 'Entfernt',
  },
  anyStatus: 'Alle Bildschirme',
  showScreens: 'Anzeigen',
  noScreens: 'Kein Bildschirm ist in diesem Zustand.',
  removedScreen: 'Entfernter Bildschirm',
  ring: (number) => `Stufe ${number}`,
  toldAt: (time) => `beauftragt am ${time}`,
  updatedAt: (time) => `aktualisiert am ${time}`,
  codes: {
    rolled_back: 'Die Version funktionierte dort nicht; die vorherige läuft wieder',
    not_offered: 'Sein Feed bietet ihm die Version nicht an: Prozentsatz, Kanal und Architektur prüfen',
    expired: 'War eine Woche lang aus',
    other_version: 'Sein Feed bot eine andere Version an',
    not_configured: 'Hat keinen Update-Feed oder keinen Release-Schlüssel',
    no_helper: 'Nicht aus einem Paket installiert; kann daher keine Updates installieren',
    no_release_key: 'Sein Update-Helfer hat keinen Release-Schlüssel',
    busy: 'Dort wurde gerade ein anderes Update installiert',
    download_failed: 'Der Download ist fehlgeschlagen: Netz des Bildschirms und Update-Server prüfen',
    helper_silent: 'Sein Update-Helfer antwortet nicht',
    bad_feed: 'Seine Versionsliste ist nicht lesbar: Adresse des Feeds prüfen',
    old_feed: 'Seine Versionsliste ist älter als eine frühere: Caches dazwischen prüfen',
    bad_signature: 'Die Signatur ist falsch; es wurde nichts installiert',
    bad_manifest: 'Die Beschreibung des Pakets ist ungültig',
    wrong_package: 'Das Paket gehört zu einem anderen Programm',
    wrong_arch: 'Das Paket ist für eine andere Architektur',
    wrong_contents: 'Das Paket enthält nicht, was seine Beschreibung sagt',
    wrong_size: 'Das Paket hat nicht die Größe, die seine Beschreibung sagt',
    wrong_hash: 'Das Paket passt nicht zu seiner signierten Prüfsumme',
    incomplete: 'Dateien des Updates fehlten',
    not_an_upgrade: 'Hat diese Version oder eine neuere',
    blocked: 'Die Version ist gesperrt: im Feed zurückgezogen oder dort schon einmal fehlgeschlagen',
    no_space: 'Zu wenig Speicherplatz',
    no_way_back: 'Die vorherige Version ließ sich nicht sichern oder wiederherstellen',
    changed_by_hand: 'Die Installation wurde von Hand geändert',
    torn_state: 'Sein Datenträger hat den Stand des Updates verloren',
    failed: 'Aus unbekanntem Grund fehlgeschlagen',
    unknown: 'Aus unbekanntem Grund fehlgeschlagen',
  },

  version: 'Version',
  versionHint: 'Ihr Update-Feed muss sie allen Bildschirmen anbieten (100 %), und keine neuere.',
  matches: (count) =>
    plural(count, {
      one: '# Bildschirm passt; er wird aktualisiert, wenn seine Version älter ist.',
      other: '# Bildschirme passen; die mit älterer Version werden aktualisiert.',
    }),
  more: 'Name, Stufen und Dauer',
  nameHint: 'Darf leer sein',
  ringsHint:
    'Anteil der Bildschirme, die nach jeder Stufe die Version haben. Die letzte Stufe wird mit nichts verglichen.',
  holdHint: 'Je länger, desto kleinere Verschlechterungen werden gefunden.',
  plan: (first, others, time) =>
    `Zuerst bis ${first} der Bildschirme, dann ${others}: jeweils nach einem Vergleich (${time}) und von selbst, wenn nichts schlechter wird.`,
  planAll: 'Alle Bildschirme, einer nach dem anderen, ohne Vergleich.',
  otherBegan: 'Ein anderer Rollout hat begonnen:',
  startNote:
    'Bildschirme werden auch während der Öffnungszeiten beauftragt; jeder ist für einen Start schwarz.',
};

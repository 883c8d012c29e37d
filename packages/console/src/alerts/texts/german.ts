import { pluralsOf } from '../../i18n/plural.ts';
import { after } from './condition-texts.ts';
import type { AlertTexts } from './english.ts';

const plural = pluralsOf('de');

export const german: AlertTexts = {
  conditions: {
    offline: {
      name: 'Ein Bildschirm ist offline',
      words: (value) => `Seit ${value('minutes')} offline`,
      advice: 'Strom und Netz der Bildschirme prüfen. Sie spielen weiter, was sie gespeichert haben.',
    },
    fault: {
      name: 'Ein Bildschirm meldet eine Störung',
      words: (value) =>
        `${value('code') === '' ? 'Beliebige Störung' : `Störung ${value('code')}`}${after(' seit ', value('minutes'))}`,
      advice: 'Öffnen Sie einen Bildschirm, um zu sehen, welche Störung er meldet und was zu tun ist.',
    },
    behind: {
      name: 'Ein Bildschirm zeigt nicht, was er soll',
      words: (value) => `Zeigt seit ${value('minutes')} nicht, was vorgesehen ist`,
      advice: 'Speicher und Störungen eines Bildschirms ansehen.',
    },
    old_version: {
      name: 'Ein Player ist zu alt',
      words: (value) => `Player älter als ${value('version')}${after(' seit ', value('minutes'))}`,
      advice: 'Lassen Sie die Bildschirme nach Updates suchen.',
    },
    hot: {
      name: 'Ein Bildschirm ist zu heiß',
      words: (value) => `${value('celsius')} °C oder heißer${after(' seit ', value('minutes'))}`,
      advice: 'Belüftung, Lüfter und Sonneneinstrahlung der Bildschirme prüfen.',
    },
    disk_below: {
      name: 'Der Datenträger eines Bildschirms ist fast voll',
      words: (value) =>
        `Weniger als ${value('free')} ${value('unit')} des Datenträgers frei${after(' seit ', value('minutes'))}`,
      advice:
        'Platz auf dem Datenträger der Bildschirme schaffen oder dort weniger und kleinere Dateien zeigen.',
    },
    nothing_playable: {
      name: 'Ein Bildschirm hat nichts anzuzeigen',
      words: (value) => `Hat seit ${value('minutes')} nichts anzuzeigen`,
      advice: 'Öffnen Sie einen Bildschirm: Hat die Playlist Inhalte, und sind sie dort gespeichert?',
    },
    screen_black: {
      name: 'Ein Bildschirm ist schwarz',
      hint: 'Nach den Bildern, die Bildschirme laut Einstellungen alle paar Minuten senden.',
      words: (value) => `Schwarz auf ${value('pictures')} Bildern${after(' seit ', value('minutes'))}`,
      advice:
        'Sehen Sie sich das Bild eines Bildschirms an. Prüfen Sie den Player und ob sein Inhalt dunkel sein soll.',
    },
    screen_frozen: {
      name: 'Das Bild eines Bildschirms ändert sich nicht',
      hint: 'Nach den Bildern, die Bildschirme laut Einstellungen alle paar Minuten senden.',
      words: (value) =>
        `Sieht auf ${value('pictures')} Bildern gleich aus${after(' seit ', value('minutes'))}`,
      advice: 'Sehen Sie sich das Bild eines Bildschirms an und starten Sie die App dort neu.',
    },
  },
  fields: {
    minutes: 'Mindestdauer in Minuten',
    code: 'Code der Störung',
    version: 'Älter als Version',
    celsius: 'Grad Celsius',
    free: 'Weniger frei als',
    unit: 'Einheit',
    pictures: 'Aufeinanderfolgende Bilder',
  },
  open: 'Offen',
  resolved: 'Behoben',
  noneOpen: 'Kein Alarm ist offen.',
  watching: (count) =>
    plural(count, {
      one: '# Regel überwacht Ihre Bildschirme.',
      other: '# Regeln überwachen Ihre Bildschirme.',
    }),
  nothingResolved: 'In den letzten 90 Tagen wurde kein Alarm behoben.',
  ofYourStores:
    'Sie sind für bestimmte Filialen zuständig. Sie sehen die Alarme zu diesen Filialen und zu den Bildschirmen darin, jedoch keinen, der Bildschirme mehrerer Filialen betrifft.',
  rulesNotForBound:
    'Sie sind für bestimmte Filialen zuständig. Regeln für Alarme gelten für alle Filialen; deshalb sind sie hier nicht zu sehen.',
  severalScreens: 'Mehrere Bildschirme',
  screens: (count) => plural(count, { one: '# Bildschirm', other: '# Bildschirme' }),
  rule: 'Regel',
  from: 'Seit',
  until: 'Bis',
  because: {
    over: 'Für alle Bildschirme vorbei',
    rule_changed: 'Die Regel wurde geändert, ausgeschaltet oder gelöscht',
    not_watched:
      'Nicht bekannt, ob behoben: Bildschirme wurden entfernt, oder die Regel überwacht sie nicht mehr',
  },
  otherReason: (reason) => `Aus einem anderen Grund beendet (${reason})`,
  screensTitle: 'Bildschirme',
  concernedNow: 'Jetzt betroffen',
  concernedSoFar: 'Bisher betroffen',
  overSince: (time) => `vorbei seit ${time}`,
  notKnownOver: 'nicht bekannt, ob behoben',
  removedScreen: 'Entfernter Bildschirm',
  mails: 'E-Mails',
  noMails: 'Keine E-Mail: Die Regel hatte keine Empfänger.',
  mailStep: { opened: 'Alarm', escalated: 'Noch offen', resolved: 'Behoben' },
  mailStatus: { pending: 'Wartet', sent: 'Vom Mailserver angenommen', failed: 'Fehlgeschlagen' },
  attempts: (count) => `Versuche: ${count}`,
  nextAttempt: (time) => `nächster Versuch ${time}`,
  rules: 'Regeln für Alarme',
  rulesHint:
    'Eine Regel sagt, wann es einen Alarm gibt und für welche Bildschirme. Eine ausgefallene Filiale ist ein Alarm; Zeit, in der die Cloud nicht lief, zählt nicht.',
  noRules: 'Noch wird nichts überwacht',
  noRulesHint:
    'Regeln sagen, wann es einen Alarm gibt. Beginnen Sie mit diesen; jede lässt sich später ändern oder ausschalten.',
  noRulesForViewer: 'Es gibt keine Regeln für Alarme. Ein Editor oder Admin kann sie anlegen.',
  createStarters: 'Diese Regeln anlegen',
  newRule: 'Neue Regel',
  editRule: 'Regel bearbeiten',
  condition: 'Alarm, wenn',
  unknownCondition: (type) =>
    `Diese Version der Konsole kennt die Bedingung „${type}“ nicht. Der Rest der Regel lässt sich ändern.`,
  noPictures:
    'Bildschirme senden von selbst keine Bilder. Daher gibt es keinen Alarm, außer für Bildschirme mit eigener Einstellung.',
  toPictureSettings: 'Einstellungen öffnen',
  atOnce: '0: sofort',
  anyFault: 'Leer: jede Störung',
  watches: (count) => plural(count, { one: 'Überwacht # Bildschirm.', other: 'Überwacht # Bildschirme.' }),
  recipients: 'E-Mail an',
  recipientsHint:
    'Adressen, durch Kommas getrennt. Ohne Adresse werden Alarme hier gezeigt und an Webhooks gesendet.',
  mailLanguage: 'Sprache der E-Mails',
  mailTo: (count) => plural(count, { one: 'E-Mail an # Adresse', other: 'E-Mail an # Adressen' }),
  noMail: 'keine E-Mail',
  inOpeningHours: 'nur in den Öffnungszeiten',
  laterTo: (count) => plural(count, { one: 'später an # Adresse', other: 'später an # Adressen' }),
  mutes: 'Stummschaltungen',
  mutedUntil: (time) => `Stumm bis ${time}`,
  hours: 'Alarme werden ausgelöst',
  hoursAlways: 'Jederzeit',
  hoursOnly: 'Nur in den Öffnungszeiten',
  hoursHint: 'In der Zeitzone der Filiale. Minuten außerhalb dieser Zeiten zählen nicht.',
  days: 'Tage',
  hoursFrom: 'Von',
  hoursTo: 'Bis',
  onTheNextDay: 'Am nächsten Tag',
  addHours: 'Zeiten hinzufügen',
  remove: 'Entfernen',
  stillOpen: 'Wenn er noch offen ist',
  afterMinutes: 'Nach Minuten',
  addLater: 'Später an andere mailen',
  mute: 'Stummschalten',
  muteTitle: 'Alarme stummschalten',
  muteHint:
    'Solange gibt es für diese Bildschirme keinen neuen Alarm und keine E-Mail. Was danach noch nicht stimmt, wird dann ein Alarm.',
  muteFor: 'Für',
  untilOwnTime: 'Bis zu einem Zeitpunkt',
  untilTime: 'Bis',
  reason: 'Grund',
  endMute: 'Aufheben',
  endsOpen: (count) =>
    plural(count, {
      one: 'Speichern beendet # offenen Alarm der Regel. Trifft er noch zu, gibt es einen neuen.',
      other: 'Speichern beendet # offene Alarme der Regel. Treffen sie noch zu, gibt es neue.',
    }),
  active: 'Aktiv',
  activeOf: (name) => `„${name}“ ist aktiv`,
  switchedOn: (name) => `„${name}“ ist wieder aktiv.`,
  switchedOff: (name) => `„${name}“ ist ausgeschaltet. Die offenen Alarme sind beendet.`,
  undo: 'Rückgängig',
  deleteRule: 'Löschen',
  deleteTitle: (name) => `„${name}“ löschen?`,
  deleteHint: 'Die offenen Alarme enden. Das lässt sich nicht rückgängig machen.',
};

import type { DisplaySettings } from '@placard/protocol';
import type { Alert, AlertCondition, AlertMail } from '@placard/protocol/api';

/** What mails about alerts say. */
export interface MailTexts {
  step: Record<AlertMail['step'], string>;
  /** That it is resolved for another reason than that it is over. */
  ended: string;
  /** Instead of the name of a screen or store. */
  severalScreens: string;
  condition: (condition: AlertCondition) => string;
  screens: string;
  since: string;
  until: string;
  rule: string;
  because: Record<Exclude<NonNullable<Alert['resolved_because']>, 'over'>, string>;
}

/** Picks the text of the condition; one that a newer version has stored is named. */
const conditionText =
  (texts: {
    offline: (minutes: number) => string;
    fault: (code: string) => string;
    anyFault: string;
    behind: (minutes: number) => string;
    oldVersion: (version: string) => string;
    hot: (celsius: number) => string;
    /** With its unit. */
    diskBelow: (free: string) => string;
    nothingPlayable: (minutes: number) => string;
    screenBlack: string;
    screenFrozen: string;
  }) =>
  (condition: AlertCondition): string => {
    const { type } = condition;
    switch (condition.type) {
      case 'offline':
        return texts.offline(condition.minutes);
      case 'fault':
        return condition.code === null ? texts.anyFault : texts.fault(condition.code);
      case 'behind':
        return texts.behind(condition.minutes);
      case 'old_version':
        return texts.oldVersion(condition.version);
      case 'hot':
        return texts.hot(condition.celsius);
      case 'disk_below':
        return texts.diskBelow(`${condition.free} ${condition.unit === 'percent' ? '%' : condition.unit}`);
      case 'screen_black':
        return texts.screenBlack;
      case 'screen_frozen':
        return texts.screenFrozen;
      case 'nothing_playable':
        return texts.nothingPlayable(condition.minutes);
      default:
        return type;
    }
  };

export const MAIL_TEXTS: Readonly<Record<DisplaySettings['language'], MailTexts>> = {
  en: {
    step: { opened: 'Alert', escalated: 'Still open', resolved: 'Resolved' },
    ended: 'Ended',
    severalScreens: 'Several screens',
    condition: conditionText({
      offline: (minutes) => `offline for ${minutes} min`,
      fault: (code) => `fault ${code}`,
      anyFault: 'reports a fault',
      behind: (minutes) => `has not shown what it should for ${minutes} min`,
      oldVersion: (version) => `player older than ${version}`,
      hot: (celsius) => `${celsius} °C or hotter`,
      diskBelow: (free) => `less than ${free} of disk space free`,
      nothingPlayable: (minutes) => `has had nothing to show for ${minutes} min`,
      screenBlack: 'shows a black picture',
      screenFrozen: 'its picture does not change',
    }),
    screens: 'Screens concerned',
    since: 'Alert since',
    until: 'Alert until',
    rule: 'Rule',
    because: {
      rule_changed: 'The rule was changed, switched off or deleted.',
      not_watched: 'It is not known to be over: screens were removed, or the rule no longer watches them.',
    },
  },
  de: {
    step: { opened: 'Alarm', escalated: 'Weiterhin offen', resolved: 'Behoben' },
    ended: 'Beendet',
    severalScreens: 'Mehrere Bildschirme',
    condition: conditionText({
      offline: (minutes) => `seit ${minutes} min offline`,
      fault: (code) => `Störung ${code}`,
      anyFault: 'meldet eine Störung',
      behind: (minutes) => `zeigt seit ${minutes} min nicht, was vorgesehen ist`,
      oldVersion: (version) => `Player älter als ${version}`,
      hot: (celsius) => `${celsius} °C oder heißer`,
      diskBelow: (free) => `weniger als ${free} des Datenträgers frei`,
      nothingPlayable: (minutes) => `hat seit ${minutes} min nichts anzuzeigen`,
      screenBlack: 'zeigt ein schwarzes Bild',
      screenFrozen: 'das Bild ändert sich nicht',
    }),
    screens: 'Betroffene Bildschirme',
    since: 'Alarm seit',
    until: 'Alarm bis',
    rule: 'Regel',
    because: {
      rule_changed: 'Die Regel wurde geändert, ausgeschaltet oder gelöscht.',
      not_watched:
        'Ob die Störung behoben ist, ist nicht bekannt: Bildschirme wurden entfernt, oder die Regel überwacht sie nicht mehr.',
    },
  },
  fr: {
    step: { opened: 'Alerte', escalated: 'Toujours ouverte', resolved: 'Résolu' },
    ended: 'Terminée',
    severalScreens: 'Plusieurs écrans',
    condition: conditionText({
      offline: (minutes) => `hors ligne depuis ${minutes} min`,
      fault: (code) => `défaut ${code}`,
      anyFault: 'signale un défaut',
      behind: (minutes) => `n’affiche pas le contenu prévu depuis ${minutes} min`,
      oldVersion: (version) => `lecteur antérieur à ${version}`,
      hot: (celsius) => `${celsius} °C ou plus`,
      diskBelow: (free) => `moins de ${free} d’espace disque libre`,
      nothingPlayable: (minutes) => `n’a rien à afficher depuis ${minutes} min`,
      screenBlack: 'affiche une image noire',
      screenFrozen: 'son image ne change pas',
    }),
    screens: 'Écrans concernés',
    since: 'Alerte depuis',
    until: 'Alerte jusqu’au',
    rule: 'Règle',
    because: {
      rule_changed: 'La règle a été modifiée, désactivée ou supprimée.',
      not_watched:
        'On ne sait pas si le problème est résolu : des écrans ont été supprimés, ou la règle ne les surveille plus.',
    },
  },
  es: {
    step: { opened: 'Alerta', escalated: 'Sigue abierta', resolved: 'Resuelto' },
    ended: 'Terminada',
    severalScreens: 'Varias pantallas',
    condition: conditionText({
      offline: (minutes) => `sin conexión desde hace ${minutes} min`,
      fault: (code) => `fallo ${code}`,
      anyFault: 'notifica un fallo',
      behind: (minutes) => `no muestra lo previsto desde hace ${minutes} min`,
      oldVersion: (version) => `reproductor anterior a ${version}`,
      hot: (celsius) => `${celsius} °C o más`,
      diskBelow: (free) => `menos de ${free} libre en el disco`,
      nothingPlayable: (minutes) => `no tiene nada que mostrar desde hace ${minutes} min`,
      screenBlack: 'muestra una imagen negra',
      screenFrozen: 'su imagen no cambia',
    }),
    screens: 'Pantallas afectadas',
    since: 'Alerta desde',
    until: 'Alerta hasta',
    rule: 'Regla',
    because: {
      rule_changed: 'La regla se ha modificado, desactivado o eliminado.',
      not_watched:
        'No se sabe si el problema está resuelto: se han eliminado pantallas, o la regla ya no las vigila.',
    },
  },
  ja: {
    step: { opened: 'アラート', escalated: '未解消', resolved: '解消' },
    ended: '終了',
    severalScreens: '複数の画面',
    condition: conditionText({
      offline: (minutes) => `${minutes}分以上オフライン`,
      fault: (code) => `障害 ${code}`,
      anyFault: '障害を報告',
      behind: (minutes) => `${minutes}分以上、予定の内容を表示していません`,
      oldVersion: (version) => `${version} より古いプレーヤー`,
      hot: (celsius) => `${celsius}°C以上`,
      diskBelow: (free) => `ディスクの空き容量が${free}未満`,
      nothingPlayable: (minutes) => `${minutes}分以上、表示できる内容がありません`,
      screenBlack: '黒い画面を表示しています',
      screenFrozen: '画面の表示が変化していません',
    }),
    screens: '対象の画面数',
    since: '発生日時',
    until: '終了日時',
    rule: 'ルール',
    because: {
      rule_changed: 'ルールが変更、無効化、または削除されました。',
      not_watched: '解消したかどうかは不明です。画面が削除されたか、ルールの対象から外れました。',
    },
  },
};

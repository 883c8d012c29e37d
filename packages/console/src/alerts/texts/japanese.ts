import { pluralsOf } from '../../i18n/plural.ts';
import type { AlertTexts } from './english.ts';

const plural = pluralsOf('ja');

/** How long something has lasted; nothing if that does not matter. */
const lasting = (minutes: string): string => (minutes === '' ? '' : `（${minutes}以上）`);

export const japanese: AlertTexts = {
  conditions: {
    offline: {
      name: '画面がオフライン',
      words: (value) => `${value('minutes')}以上オフライン`,
      advice: '画面の電源とネットワークを確認してください。保存済みの内容の再生は続いています。',
    },
    fault: {
      name: '画面が障害を報告',
      words: (value) =>
        `${value('code') === '' ? '何らかの障害' : `障害 ${value('code')}`}${lasting(value('minutes'))}`,
      advice: '画面を開いて、報告された障害と対処方法を確認してください。',
    },
    behind: {
      name: '画面が予定の内容を表示していない',
      words: (value) => `${value('minutes')}以上、予定の内容を表示していない`,
      advice: '画面を開いて、保存容量と障害を確認してください。',
    },
    old_version: {
      name: 'プレーヤーが古い',
      words: (value) => `${value('version')} より古いプレーヤー${lasting(value('minutes'))}`,
      advice: '画面で更新の確認を実行してください。',
    },
    hot: {
      name: '画面の温度が高すぎる',
      words: (value) => `${value('celsius')} °C 以上${lasting(value('minutes'))}`,
      advice: '画面の通気、ファン、直射日光を確認してください。',
    },
    disk_below: {
      name: '画面のディスクの空きが少ない',
      words: (value) =>
        `ディスクの空き容量が ${value('free')} ${value('unit')} 未満${lasting(value('minutes'))}`,
      advice: '画面のディスクの空きを増やすか、表示するファイルを減らすか小さくしてください。',
    },
    nothing_playable: {
      name: '画面に表示できる内容がない',
      words: (value) => `${value('minutes')}以上、表示できる内容がない`,
      advice: '画面を開いて、プレイリストに内容があり、画面に保存されているかを確認してください。',
    },
    screen_black: {
      name: '画面が黒い',
      hint: '設定した間隔で画面が送信する画像から判断します。',
      words: (value) => `${value('pictures')} 枚続けて黒い${lasting(value('minutes'))}`,
      advice: '画面の画像を確認し、プレーヤーと、内容が意図的に暗いものでないかを確認してください。',
    },
    screen_frozen: {
      name: '画面の表示が変わらない',
      hint: '設定した間隔で画面が送信する画像から判断します。',
      words: (value) => `${value('pictures')} 枚続けて同じ表示${lasting(value('minutes'))}`,
      advice: '画面の画像を確認し、その画面でアプリを再起動してください。',
    },
  },
  fields: {
    minutes: '継続時間（分）',
    code: '障害コード',
    version: 'このバージョンより古い',
    celsius: '温度（摂氏）',
    free: '空き容量がこれ未満',
    unit: '単位',
    pictures: '連続する画像の枚数',
  },
  open: '発生中',
  resolved: '解消済み',
  noneOpen: '発生中のアラートはありません。',
  watching: (count) => plural(count, { other: '# 件のルールが画面を監視しています。' }),
  nothingResolved: '過去 90 日間に解消したアラートはありません。',
  ofYourStores:
    '担当店舗が限られています。担当店舗とその画面のアラートは表示されますが、複数の店舗の画面に関わるアラートは表示されません。',
  rulesNotForBound: '担当店舗が限られています。アラートのルールは全店舗に関わるため、表示されません。',
  severalScreens: '複数の画面',
  screens: (count) => plural(count, { other: '画面 # 台' }),
  rule: 'ルール',
  from: '発生',
  until: '終了',
  because: {
    over: 'すべての画面で解消',
    rule_changed: 'ルールが変更、無効化、または削除されました',
    not_watched: '解消は未確認です。画面が削除されたか、ルールの対象から外れました',
  },
  otherReason: (reason) => `その他の理由で終了（${reason}）`,
  screensTitle: '画面',
  concernedNow: '現在の対象',
  concernedSoFar: 'これまでの対象',
  overSince: (time) => `${time} に解消`,
  notKnownOver: '解消は未確認',
  removedScreen: '削除された画面',
  mails: 'メール',
  noMails: 'メールはありません。ルールに宛先がありませんでした。',
  mailStep: { opened: 'アラート', escalated: '未解消', resolved: '解消' },
  mailStatus: { pending: '待機中', sent: 'メールサーバーが受け付け済み', failed: '失敗' },
  attempts: (count) => `試行 ${count} 回`,
  nextAttempt: (time) => `次の試行 ${time}`,
  rules: 'アラートのルール',
  rulesHint:
    'ルールは、いつ、どの画面についてアラートを出すかを決めます。店舗全体の停止は 1 件のアラートです。クラウドが停止していた時間は数えません。',
  noRules: 'まだ何も監視していません',
  noRulesHint:
    'ルールは、いつアラートを出すかを決めます。次のルールから始められます。後から変更や無効化ができます。',
  noRulesForViewer: 'アラートのルールがありません。Editor または Admin が作成できます。',
  createStarters: 'これらのルールを作成',
  newRule: '新しいルール',
  editRule: 'ルールを編集',
  condition: 'アラートの条件',
  unknownCondition: (type) =>
    `このバージョンのコンソールは条件「${type}」を知りません。ほかの項目は変更できます。`,
  noPictures: '画面は画像を自動送信しない設定です。個別の設定がある画面を除き、アラートは発生しません。',
  toPictureSettings: '設定を開く',
  atOnce: '0: ただちに',
  anyFault: '空欄: すべての障害',
  watches: (count) => plural(count, { other: '画面 # 台を監視します。' }),
  recipients: 'メールの宛先',
  recipientsHint: 'コンマ区切りのメールアドレス。なければ、アラートはここに表示され、Webhook に送られます。',
  mailLanguage: 'メールの言語',
  mailTo: (count) => plural(count, { other: 'メール宛先 # 件' }),
  noMail: 'メールなし',
  inOpeningHours: '営業時間内のみ',
  laterTo: (count) => plural(count, { other: '後から宛先 # 件' }),
  mutes: 'ミュート',
  mutedUntil: (time) => `${time} までミュート`,
  hours: 'アラートを出す時間',
  hoursAlways: 'いつでも',
  hoursOnly: '営業時間内のみ',
  hoursHint: '店舗のタイムゾーンです。この時間外の分数は数えません。',
  days: '曜日',
  hoursFrom: '開始',
  hoursTo: '終了',
  onTheNextDay: '翌日',
  addHours: '時間帯を追加',
  remove: '削除',
  stillOpen: 'まだ解決していない場合',
  afterMinutes: '経過分数',
  addLater: '後で他の人にもメール',
  mute: 'ミュート',
  muteTitle: 'アラートをミュート',
  muteHint:
    'その間、これらの画面のアラートは出ず、メールも送られません。終了後もまだ異常がある場合は、その時点でアラートになります。',
  muteFor: '期間',
  untilOwnTime: '時刻を指定',
  untilTime: '終了時刻',
  reason: '理由',
  endMute: '解除',
  endsOpen: (count) =>
    plural(count, {
      other:
        '保存すると、このルールの発生中のアラート # 件が終了します。条件が続いていれば、新しいアラートが出ます。',
    }),
  active: '有効',
  activeOf: (name) => `「${name}」は有効です`,
  switchedOn: (name) => `「${name}」を再び有効にしました。`,
  switchedOff: (name) => `「${name}」を無効にしました。発生中のアラートは終了しました。`,
  undo: '元に戻す',
  deleteRule: '削除',
  deleteTitle: (name) => `「${name}」を削除しますか?`,
  deleteHint: '発生中のアラートは終了します。元に戻せません。',
};

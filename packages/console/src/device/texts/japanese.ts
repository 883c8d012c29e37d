import { pluralsOf } from '../../i18n/plural.ts';
import type { DeviceTexts } from './english.ts';

const plural = pluralsOf('ja');

export const japanese: DeviceTexts = {
  week: '今日と今週',
  overTime: '測定値の推移',
  day: '24 時間',
  sevenDays: '7 日間',
  noReadings: 'この期間の測定値はありません。',
  logs: 'ログ',
  fetchLogs: 'ログを取得',
  logsWaiting: '画面にログを要求しています。',
  logsFailed: (reason) => `画面はログを送信できませんでした：${reason}`,
  noLogs: 'まだ誰もログを取得していません。',
  download: 'ダウンロード',
  screenshot: '画面の画像',
  screenshotAlt: '画面に表示されていた内容',
  screenshotShows: (name) => `プレーヤーによると「${name}」を表示していました。`,
  screenshotShowsNothing: 'プレーヤーはコンテンツを表示していませんでした。',
  faultPictureAlt: (code) => `${code} の発生時の画面`,
  earlierFaults: '過去の障害の画像',
  takeScreenshot: '画像を撮る',
  allowsScreenshots: 'この画面の画像の取得を許可する',
  forbiddenBy: {
    device: 'この画面の設定では画像を取得できません。',
    organization: '組織の設定では画像を取得できません。',
  },
  noScreenshot: 'まだ画像はありません。',
  screenshotWaiting: '画面に画像を要求しています。数秒、常時接続がない場合は最大1分かかります。',
  screenshotExpired:
    '2分以内に画面から応答がありませんでした。電源が切れているか、ネットワークに接続されていない可能性があります。',
  screenshotFailed: (reason) => `画面は画像を撮れませんでした: ${reason}`,
  pin: '技術者メニューの PIN',
  pinSet: 'PIN が設定されています。',
  pinNotSet: 'PIN なし：誰でも画面のメニューを開けます。',
  pinField: '新しい PIN',
  pinHint: '4〜8 桁の数字。後から読み出せません',
  removePin: 'PIN を削除',
  history: '変更履歴',
  noHistory: 'まだ変更はありません。',
  played: '過去 7 日間の再生',
  plays: (count) => plural(count, { other: '# 回' }),
  noPlays: '再生はありません。',
};

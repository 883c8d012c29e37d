import { pluralsOf } from '../../i18n/plural.ts';
import type { AnalyticsTexts } from './english.ts';

const plural = pluralsOf('ja');

export const japanese: AnalyticsTexts = {
  period: '期間',
  periods: { day: '24 時間', week: '7 日間', month: '30 日間', quarter: '90 日間' },
  from: '開始日',
  to: '終了日',
  inUtc: '日付と時刻は UTC です。',
  download: 'CSV でダウンロード',
  downloadHint: 'この期間の再生すべて(フィルターを適用)',
  onlineNow: '現在オンライン',
  onlineOf: (online, all) => `${online} / ${all}`,
  uptime: '稼働率',
  uptimeHint: 'ペアリング以降、クラウドの稼働中に画面がオンラインだった時間の割合です。',
  plays: '再生',
  timeShown: '表示時間',
  failed: '失敗',
  overTime: '再生の推移',
  chart: (plays, failed) =>
    `${plural(plays, { other: '再生 # 回' })}、${plural(failed, { other: '失敗 # 回' })}。数値は下の「時間」にあります。`,
  by: '再生の集計',
  groups: {
    content: 'コンテンツ',
    device: '画面',
    store: '店舗',
    playlist: 'プレイリスト',
    time: '時間',
  },
  without: { content: '削除済み', device: '削除済み', store: '店舗なし', playlist: 'プレイリストなし' },
  deleted: '削除済み',
  onlyThis: (name) => `${name} の再生だけを表示`,
  removeFilter: (name) => `${name} 以外の再生も表示`,
  noPlays: 'この期間の再生はありません。',
  noPlaysHint: '画面は再生したものを報告します。プレイリストを配信するか、より長い期間を選んでください。',
  toPlaylists: 'プレイリストへ',
  notObserved: '未観測',
  noScreens: 'ペアリングされた画面はありません。',
  lowestFirst: '低い順',
  more: 'さらに表示',
  chooseScreen: '担当店舗の画面だけを表示できます。画面を選ぶと、再生したものが表示されます。',
  previous: '前のページ',
  next: '次のページ',
  page: (page, pages) => `${page} / ${pages} ページ`,
};

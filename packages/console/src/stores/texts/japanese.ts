import { pluralsOf } from '../../i18n/plural.ts';
import type { StoreTexts } from './english.ts';

const plural = pluralsOf('ja');

export const japanese: StoreTexts = {
  addStore: '店舗を追加',
  editStore: '店舗を編集',
  searchStores: '名前で検索',
  noStores: 'まだ店舗がありません',
  noStoresHint:
    '店舗は画面のある場所です。スケジュールや配信は店舗ごとに指定でき、時刻は店舗のタイムゾーンにできます。',
  nothingFound: '一致する店舗はありません。',
  address: '住所',
  city: '市区町村',
  region: '都道府県',
  country: '国',
  contact: '連絡先',
  timezone: 'タイムゾーン',
  timezoneHint: '店舗の現地時刻のルールに使います。なければ組織のタイムゾーンです。',
  organizationZone: '組織のタイムゾーン',
  tagsHint: 'コンマ区切り',
  screens: (count) => plural(count, { other: '画面 # 台' }),
  files: (count) => plural(count, { other: 'ファイル # 個' }),
  schedules: (count) => plural(count, { other: 'スケジュール # 件' }),
  deleteStore: '削除',
  deleteTitle: (name) => `「${name}」を削除しますか?`,
  deleteScreens: (count) => plural(count, { other: '画面 # 台は店舗なしで残ります。' }),
  deleteSchedules: '次のスケジュールはこの店舗が対象です。削除後は画面に届きません:',
  deleteRules:
    '次のアラートのルールがこの店舗を監視しています。先にルールの対象を変更するか、ルールを削除してください:',
  deleteUnused: '使われていません。',
  tagsTitle: 'タグ',
  noTags: 'まだタグがありません。タグは店舗をまたいで画面をまとめます。画面の設定で付けてください。',
};

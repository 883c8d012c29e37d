import type { DeviceFilterTexts } from './english.ts';

export const japanese: DeviceFilterTexts = {
  screens: '画面',
  anyTag: '指定なし',
  morePlaces: '名前または場所',
  nameContains: '名前に含む文字',
  country: '店舗の国',
  region: '店舗の都道府県',
  city: '店舗の市区町村',
  allScreens: 'すべての画面',
  words: {
    store_id: (name) => `店舗「${name}」`,
    tag: (tag) => `タグ「${tag}」`,
    search: (text) => `名前に「${text}」を含む`,
    country: (name) => `国 ${name}`,
    region: (name) => `都道府県 ${name}`,
    city: (name) => `市区町村 ${name}`,
  },
};

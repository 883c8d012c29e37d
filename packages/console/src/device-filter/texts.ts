import { areaTexts } from '../i18n/area-texts.ts';
import type { DeviceFilterTexts } from './texts/english.ts';

export const useTexts = await areaTexts<DeviceFilterTexts>({
  en: async () => (await import('./texts/english.ts')).english,
  de: async () => (await import('./texts/german.ts')).german,
  fr: async () => (await import('./texts/french.ts')).french,
  es: async () => (await import('./texts/spanish.ts')).spanish,
  ja: async () => (await import('./texts/japanese.ts')).japanese,
});

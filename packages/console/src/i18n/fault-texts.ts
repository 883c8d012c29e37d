import type { FaultCode } from '@placard/protocol';
import { areaTexts } from './area-texts.ts';

/** What is wrong and what to do, by the code of the fault. A map, because a player may report any word, such as `constructor`. */
type FaultTexts = ReadonlyMap<string, string>;

async function textsOf(text: (code: FaultCode) => string): Promise<FaultTexts> {
  const { FAULTS } = await import('@placard/protocol');
  const isCode = (name: string): name is FaultCode => Object.hasOwn(FAULTS, name);
  return new Map(
    Object.keys(FAULTS)
      .filter(isCode)
      .map((code) => [code, text(code)]),
  );
}

/** The same sentences as on the screens. A newer player may report codes that are not among them. */
export const useFaultTexts = await areaTexts<FaultTexts>({
  en: async () => new Map(Object.entries((await import('@placard/protocol')).FAULTS)),
  de: async () => textsOf((await import('../../../../renderer/strings/german.ts')).german.fault),
  fr: async () => textsOf((await import('../../../../renderer/strings/french.ts')).french.fault),
  es: async () => textsOf((await import('../../../../renderer/strings/spanish.ts')).spanish.fault),
  ja: async () => textsOf((await import('../../../../renderer/strings/japanese.ts')).japanese.fault),
});

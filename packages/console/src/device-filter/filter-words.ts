import { useQuery } from '@tanstack/react-query';
import { storesQuery } from '../api/stores.ts';
import type { DeviceFilter } from './filter.ts';
import { useTexts } from './texts.ts';

/** Says in plain words which devices a filter chooses; what this console does not know, by its name. */
export function useFilterWords(): (filter: DeviceFilter) => string {
  const texts = useTexts();
  const stores = useQuery(storesQuery).data;
  const words: ReadonlyMap<string, (value: string) => string> = new Map(
    Object.entries({
      ...texts.words,
      store_id: (id: string) => texts.words.store_id(stores?.get(id) ?? id),
    }),
  );
  return (filter) => {
    const parts = Object.entries(filter).map(
      ([name, value]) => words.get(name)?.(value) ?? `${name}: ${value}`,
    );
    return parts.length === 0 ? texts.allScreens : parts.join(', ');
  };
}

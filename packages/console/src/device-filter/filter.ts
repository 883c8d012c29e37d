import type { AlertFilter } from '@placard/client';

/** Which devices somebody has chosen, as the API takes it. */
export type DeviceFilter = AlertFilter;

/** The same as it is typed, by the name of the field; one that is empty does not matter. */
export type TypedFilter = Readonly<Record<string, string>>;

/** What devices are chosen by, besides their store and a tag. */
export const PLACES = ['search', 'country', 'region', 'city'] as const;

export const filterOf = (typed: TypedFilter): DeviceFilter =>
  Object.fromEntries(
    Object.entries(typed).flatMap(([name, value]) => (value.trim() === '' ? [] : [[name, value.trim()]])),
  );

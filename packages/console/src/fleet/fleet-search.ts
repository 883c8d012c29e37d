/** Which devices are shown, as in the address of the page. */
export interface DeviceFilters {
  search?: string;
  status?: 'online' | 'offline';
  store?: string;
  tag?: string;
  version?: string;
  fault?: string;
  revision?: 'current' | 'behind';
}

/** The address of the fleet. */
export interface FleetSearch extends DeviceFilters {
  view?: 'tiles';
  pair?: string;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((each) => each === value);

/** Reads the parameters of an address; what is unknown or empty is left out. */
export function toFleetSearch(search: Readonly<Record<string, unknown>>): FleetSearch {
  const read = {
    search: text(search['search']),
    status: oneOf(search['status'], ['online', 'offline']),
    store: text(search['store']),
    tag: text(search['tag']),
    version: text(search['version']),
    fault: text(search['fault']),
    revision: oneOf(search['revision'], ['current', 'behind']),
    view: oneOf(search['view'], ['tiles']),
    pair: text(search['pair']),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

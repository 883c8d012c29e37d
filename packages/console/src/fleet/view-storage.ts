import { toFleetSearch } from './fleet-search.ts';
import type { FleetSearch } from './fleet-search.ts';

export interface SavedView {
  name: string;
  search: FleetSearch;
}

const STORED = 'placard.views';
const MAX_VIEWS = 50;

/** The views of this browser; what cannot be understood is left out. */
export function readViews(): SavedView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return (Array.isArray(stored) ? stored : []).flatMap((each: unknown) => {
      if (typeof each !== 'object' || each === null || !('name' in each) || !('search' in each)) {
        return [];
      }
      const { name, search } = each;
      return typeof name === 'string' && typeof search === 'object' && search !== null
        ? [{ name, search: toFleetSearch({ ...search }) }]
        : [];
    });
  } catch {
    return [];
  }
}

export function storeViews(views: readonly SavedView[]): void {
  localStorage.setItem(STORED, JSON.stringify(views.slice(-MAX_VIEWS)));
}

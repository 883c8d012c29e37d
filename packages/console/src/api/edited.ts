import { useCallback, useState } from 'react';
import { useAccount } from './account.ts';
import { draftsOf } from './drafts.ts';

/** The name of the script of the page, which changes with every part of the console. */
const BUILD = document.querySelector('script[src]')?.getAttribute('src') ?? '';

/** What somebody changes in a form until it is saved; see `useEdited`. */
export interface Edited<T> {
  /** What was changed; null while nothing is. */
  edited: T | null;
  /** ETag of the state that it was changed from: saving with it overwrites nothing that others did meanwhile. */
  from: string | null;
  /** When what was restored on opening the page had been changed last, in milliseconds since 1970; null if nothing was. */
  restoredAtMs: number | null;
  edit: (value: T) => void;
  /** What is edited counts as changed from the current state. */
  rebase: () => void;
  /** After saving, or to give up. */
  discard: () => void;
}

/**
 * What is edited in a form, which outlives a reload of the page, a crash of its tab and the end of the session. Never for
 * passwords, PINs, keys and secrets.
 *
 * @param place tells the form from all others, for example `device dev_…`
 * @param etag of the state that is shown; null for something new
 */
export function useEdited<T>(place: string, etag: string | null): Edited<T> {
  const userId = useAccount().id;
  const drafts = draftsOf(sessionStorage, userId, BUILD);
  const [state, setState] = useState(() => {
    const kept = drafts.read<T>(place);
    return {
      edited: kept === null ? null : kept.value,
      from: kept?.from ?? null,
      restoredAtMs: kept?.atMs ?? null,
    };
  });
  const keep = (value: T, from: string | null, restoredAtMs: number | null) => {
    drafts.keep(place, { value, from, atMs: Date.now() });
    setState({ edited: value, from, restoredAtMs });
  };
  const discard = useCallback(() => {
    draftsOf(sessionStorage, userId, BUILD).remove(place);
    setState({ edited: null, from: null, restoredAtMs: null });
  }, [userId, place]);
  return {
    ...state,
    from: state.edited === null ? etag : state.from,
    edit: (value) => keep(value, state.edited === null ? etag : state.from, state.restoredAtMs),
    rebase: () => state.edited !== null && keep(state.edited, etag, state.restoredAtMs),
    discard,
  };
}

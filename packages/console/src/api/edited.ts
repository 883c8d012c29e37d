import { useRef, useState } from 'react';
import { useAccount } from './account.ts';
import { draftsOf } from './drafts.ts';
import type { EditedFrom } from './drafts.ts';
import { editedSince } from './edited-since.ts';

/** The name of the script of the page, which changes with every part of the console. */
const BUILD = document.querySelector('script[src]')?.getAttribute('src') ?? '';

/** A state of what is edited. */
interface State<T> {
  /** What was changed; null while nothing is. */
  edited: T | null;
  /** The state that it was changed from: saving with its ETag overwrites nothing that others did meanwhile. */
  from: EditedFrom<T> | null;
  /** When what was restored on opening the page had been changed last, in milliseconds since 1970; null if nothing was. */
  restoredAtMs: number | null;
}

/** What somebody changes in a form until it is saved; see `useEdited`. */
export interface Edited<T> extends State<T> {
  edit: (value: T) => void;
  /** What is edited counts as changed from the current state. */
  rebase: () => void;
  /** Drops what is edited. */
  discard: () => void;
  /**
   * After `sent` was saved: drops it and keeps what was edited since, as changed from what is stored now.
   *
   * @returns whether nothing is left
   */
  saved: (sent: T, now: EditedFrom<T> & { place: string }) => boolean;
}

const NOTHING = { edited: null, from: null, restoredAtMs: null };

/**
 * What is edited in a form, which outlives a reload of the page, a crash of its tab and the end of the session. Never for
 * passwords, PINs, keys and secrets.
 *
 * @param place tells the form from all others, for example `device dev_…`
 * @param shown the state that is shown; null for something new
 */
export function useEdited<T extends object>(place: string, shown: EditedFrom<T> | null): Edited<T> {
  const userId = useAccount().id;
  const drafts = draftsOf(sessionStorage, userId, BUILD);
  const [state, setState] = useState((): State<T> => {
    const kept = drafts.read<T>(place);
    return kept === null ? NOTHING : { edited: kept.value, from: kept.from, restoredAtMs: kept.atMs };
  });
  /** The same after the last edit, for what began before it. */
  const latest = useRef(state);
  const set = (next: State<T>) => {
    latest.current = next;
    setState(next);
  };
  const keep = (at: string, value: T, from: State<T>['from'], restoredAtMs: number | null) => {
    drafts.keep(at, { value, from, atMs: Date.now() });
    set({ edited: value, from, restoredAtMs });
  };
  const discard = () => {
    drafts.remove(place);
    set(NOTHING);
  };
  return {
    ...state,
    from: state.from ?? shown,
    edit: (value) => keep(place, value, latest.current.from ?? shown, latest.current.restoredAtMs),
    rebase: () => state.edited !== null && keep(place, state.edited, shown, state.restoredAtMs),
    discard,
    saved: (sent, { place: placeNow, ...now }) => {
      const { edited } = latest.current;
      const left = edited === null ? null : editedSince(edited, sent, now.values);
      discard();
      if (left !== null) {
        keep(placeNow, left, now, null);
      }
      return left === null;
    },
  };
}

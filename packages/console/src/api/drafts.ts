/** The state of a resource that somebody edits. */
export interface EditedFrom<T> {
  etag: string | null;
  /** What the form contains of it. */
  values: T;
}

/** What was changed in a form and is not saved yet. */
export interface KeptDraft<T> {
  value: T;
  /** The state that was changed; null for something new. */
  from: EditedFrom<T> | null;
  /** When it was changed last; milliseconds since 1970. */
  atMs: number;
}

const PREFIX = 'placard.draft.';
/** In all drafts of one person; the oldest make room. */
export const MOST_DRAFTS = 20;
/** Characters of one draft with the state that was changed; a longer one is not kept. */
export const LONGEST_DRAFT = 500_000;

/**
 * The drafts of one person in the storage of a tab: they are there after a reload, a crash and signing in again, and gone with the tab.
 * Passwords, PINs, keys and secrets have no place in it.
 *
 * @param build the build of the console: one with other forms does not read what this one keeps
 */
export function draftsOf(storage: Storage, userId: string, build: string) {
  const keyOf = (place: string) => `${PREFIX}${userId}.${place}`;
  const remove = (place: string) => storage.removeItem(keyOf(place));
  return {
    /** The draft of a form; null if there is none that this build can read. */
    read<T>(place: string): KeptDraft<T> | null {
      const kept = parse(storage.getItem(keyOf(place)));
      if (kept?.build !== build) {
        remove(place);
        return null;
      }
      const { value, from, atMs } = kept;
      // The form of the same build and the same place has written it.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      return { value: value as T, from: from as EditedFrom<T> | null, atMs };
    },

    keep<T>(place: string, draft: KeptDraft<T>): void {
      const text = JSON.stringify({ ...draft, build });
      if (text.length > LONGEST_DRAFT) {
        remove(place);
        return;
      }
      try {
        storage.setItem(keyOf(place), text);
        removeOldest(storage);
      } catch {
        // The storage is full or switched off: what was typed is on the page still.
        remove(place);
      }
    },

    remove,
  };
}

/** Removes the drafts of everybody who has used the tab. */
export function removeAllDrafts(storage: Storage): void {
  for (const key of keysOf(storage)) {
    storage.removeItem(key);
  }
}

const keysOf = (storage: Storage): string[] =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').filter((key) =>
    key.startsWith(PREFIX),
  );

function removeOldest(storage: Storage): void {
  const byAge = keysOf(storage)
    .map((key) => ({ key, atMs: parse(storage.getItem(key))?.atMs ?? 0 }))
    .toSorted((a, b) => b.atMs - a.atMs);
  for (const { key } of byAge.slice(MOST_DRAFTS)) {
    storage.removeItem(key);
  }
}

const isState = (from: unknown): from is EditedFrom<unknown> | null =>
  from === null ||
  (typeof from === 'object' &&
    'values' in from &&
    'etag' in from &&
    (from.etag === null || typeof from.etag === 'string'));

/** What the storage has, if it can be a draft. */
function parse(text: string | null): (KeptDraft<unknown> & { build: string }) | null {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    if (typeof kept !== 'object' || kept === null) {
      return null;
    }
    const { value, from, atMs, build }: Partial<Record<string, unknown>> = { ...kept };
    return value !== undefined && isState(from) && typeof atMs === 'number' && typeof build === 'string'
      ? { value, from, atMs, build }
      : null;
  } catch {
    return null;
  }
}

/**
 * Position in a playlist order: plain JSON that is stored across restarts. It refers to items by id, so that an edited
 * playlist continues at the same place.
 */
export interface OrderPosition {
  /** Rounds finished (`shuffle`). */
  readonly round: number;
  /** The item shown last; null at the beginning. */
  readonly last: string | null;
  /** Index of `last` and the id of the item after it (`sequential`), in case `last` is removed. */
  readonly index?: number;
  readonly following?: string;
  /** The item reached in rank order, and one deferred so that it is not shown twice in a row (`shuffle`). */
  readonly at?: string | null;
  readonly held?: string | null;
  /** Where the deferred item comes: before the first item of at least this rank (`shuffle`). */
  readonly heldRank?: number;
  /** How many turns each item has had in this round (`weighted`). */
  readonly shown?: Readonly<Record<string, number>>;
}

/** A stored position without its damaged parts: a damaged file must not stop playback. */
export function sanitizePosition(stored: unknown): OrderPosition {
  const { round, last, index, following, at, held, heldRank, shown } = toRecord(stored);
  const counts = Object.entries(toRecord(shown)).filter((entry): entry is [string, number] =>
    isCount(entry[1]),
  );
  return {
    round: isCount(round) ? round : 0,
    last: isText(last) ? last : null,
    ...(isCount(index) && { index }),
    ...(isText(following) && { following }),
    ...(isText(at) && { at }),
    ...(isText(held) && { held }),
    ...(isCount(heldRank) && { heldRank }),
    ...(counts.length > 0 && { shown: Object.fromEntries(counts) }),
  };
}

function toRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

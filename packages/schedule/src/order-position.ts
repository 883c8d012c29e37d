/**
 * Where an order stands: plain JSON to be kept over restarts. It speaks of items by id, so that an edited playlist
 * goes on from the same place.
 */
export interface OrderPosition {
  /** Rounds finished (`shuffle`). */
  readonly round: number;
  /** The item shown last; null at the very beginning. */
  readonly last: string | null;
  /** Place of `last` in its list and the id that stood after it (`sequential`), should `last` be removed. */
  readonly index?: number;
  readonly following?: string;
  /** How far the round has come, and an item put off to keep it from showing twice in a row (`shuffle`). */
  readonly at?: string | null;
  readonly held?: string | null;
  /** Where the one put off comes in: before the first item of at least this rank (`shuffle`). */
  readonly heldRank?: number;
  /** How often each item was due in this round (`weighted`). */
  readonly shown?: Readonly<Record<string, number>>;
}

/** A position as it was kept, without what is damaged: no kept file may stop the show. */
export function soundPosition(kept: unknown): OrderPosition {
  const { round, last, index, following, at, held, heldRank, shown } = recordOf(kept);
  const counts = Object.entries(recordOf(shown)).filter((entry): entry is [string, number] =>
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

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

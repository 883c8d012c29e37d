import type { OrderItem, Pick, Playable } from './order.ts';
import type { OrderPosition } from './order-position.ts';
import { seededRank } from './seeded-rank.ts';

interface Ranked {
  readonly id: string;
  readonly rank: number;
}

/**
 * Each item once a round, in an order drawn anew for every round, and no item twice in a row while there is another.
 *
 * The order of a round is by a rank that follows from seed, round and item id alone. So it need not be stored, and an
 * edit never moves the items that stay.
 */
export function shufflePick(items: readonly OrderItem[], seed: string): Pick {
  const rankedIn = (round: number, id: string): Ranked => ({ id, rank: seededRank(seed, round, id) });
  const drawn: { round: number | null; order: readonly Ranked[] } = { round: null, order: [] };

  function orderOfRound(round: number): readonly Ranked[] {
    if (drawn.round !== round) {
      drawn.round = round;
      drawn.order = items.map(({ id }) => rankedIn(round, id)).toSorted(compareRanked);
    }
    return drawn.order;
  }

  /** The next item of the position's round, or null when the round is over. */
  function inRound(
    { round, last, at = null, held = null }: OrderPosition,
    playable: Playable,
  ): OrderPosition | null {
    const order = orderOfRound(round);
    if (held !== null && playable(held) && order.some(({ id }) => id === held))
      return { round, last: held, at, held: null };
    const reached = at === null ? null : rankedIn(round, at);
    let putOff = held;
    for (const item of order) {
      if ((reached && compareRanked(item, reached) <= 0) || !playable(item.id)) continue;
      if (item.id !== last) return { round, last: item.id, at: item.id, held: putOff };
      // It ended the round before. It comes after the one that follows.
      putOff = item.id;
    }
    return null;
  }

  return (position, playable) => {
    const only = items.find(({ id }) => playable(id));
    if (!only) return null;
    const next = { round: position.round + 1, last: position.last };
    return (
      inRound(position, playable) ??
      inRound(next, playable) ??
        // Nothing but the item shown last is playable.
        { ...next, last: only.id, at: only.id, held: null }
    );
  };
}

function compareRanked(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

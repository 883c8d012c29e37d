import type { OrderItem, Pick, Playable } from './order.ts';
import type { OrderPosition } from './order-position.ts';
import { RANKS, seededRank } from './seeded-rank.ts';

interface Ranked {
  readonly id: string;
  readonly rank: number;
}

/**
 * Each item once a round, in an order drawn anew for every round, and no item twice in a row while there is another.
 *
 * The order of a round is by a rank that follows from seed, round and item id alone. So it need not be stored, and an
 * edit never moves the items that stay. The item that ended a round and would begin the next one gets another rank
 * among those of the items that follow: every place but the first is as likely as any other.
 */
export function shufflePick(items: readonly OrderItem[], seed: string): Pick {
  const ids = new Set(items.map(({ id }) => id));
  /** Of this round and of the one before or after it. */
  const drawn = new Map<number, readonly Ranked[]>();

  function orderOfRound(round: number): readonly Ranked[] {
    let order = drawn.get(round);
    if (!order) {
      order = items.map(({ id }) => rankedIn(seed, round, id)).toSorted(compareRanked);
      if (drawn.size === 2) drawn.delete(drawn.keys().next().value!);
      drawn.set(round, order);
    }
    return order;
  }

  /** The next item of the position's round, or null when the round is over. */
  function inRound(
    { round, last, at = null, held = null, heldRank = 0 }: OrderPosition,
    playable: Playable,
  ): OrderPosition | null {
    const order = orderOfRound(round);
    const isDue = held !== null && held !== last && ids.has(held) && playable(held);
    let putOff: string | null = null;
    for (
      let index = at === null ? 0 : placeAfter(order, rankedIn(seed, round, at));
      index < order.length;
      index++
    ) {
      const { id, rank } = order[index]!;
      if (isDue && heldRank <= rank) return { round, last: held, at, held: null };
      if (!playable(id)) continue;
      if (id === last) {
        putOff = id;
        continue;
      }
      const next = { round, last: id, at: id };
      if (putOff !== null) {
        const among = seededRank(seed, round, putOff, 'again') / RANKS;
        return { ...next, held: putOff, heldRank: Math.ceil(rank + (RANKS - rank) * among) };
      }
      // One whose place is passed while it cannot be shown is not made up for.
      return held !== null && heldRank > rank ? { ...next, held, heldRank } : { ...next, held: null };
    }
    return isDue ? { round, last: held, at, held: null } : null;
  }

  return (position, playable) => {
    const some = items.find(({ id }) => playable(id));
    if (!some) return null;
    const next = { round: position.round + 1, last: position.last };
    return (
      inRound(position, playable) ??
      inRound(next, playable) ??
        // Nothing but the item shown last is playable.
        { ...next, last: some.id, at: some.id, held: null }
    );
  };
}

function rankedIn(seed: string, round: number, id: string): Ranked {
  return { id, rank: seededRank(seed, round, id) };
}

function compareRanked(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Where those begin that come after one, which may itself be gone. */
function placeAfter(order: readonly Ranked[], reached: Ranked): number {
  let from = 0;
  let to = order.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareRanked(order[middle]!, reached) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

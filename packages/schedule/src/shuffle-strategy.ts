import type { OrderItem, OrderStrategy, IsPlayable } from './order-strategy.ts';
import type { OrderPosition } from './order-position.ts';
import { RANK_COUNT, seededRank } from './seeded-rank.ts';

interface RankedItem {
  readonly id: string;
  readonly rank: number;
}

/**
 * Each item once per round, in a new order every round, and no item twice in a row while there is another.
 *
 * Items are sorted by a rank that depends on seed, round and item id alone. So the order need not be stored, and an
 * edit never moves the remaining items. When the last item of a round would also begin the next, it is deferred: it
 * gets another rank after the first item, so that every place but the first is equally likely.
 */
export function createShuffleStrategy(items: readonly OrderItem[], seed: string): OrderStrategy {
  const ids = new Set(items.map(({ id }) => id));
  /** Of this round and of the one before or after it. */
  const orderByRound = new Map<number, readonly RankedItem[]>();

  function rankRound(round: number): readonly RankedItem[] {
    let order = orderByRound.get(round);
    if (!order) {
      order = items.map(({ id }) => rankItem(seed, round, id)).toSorted(compareRanked);
      if (orderByRound.size === 2) {
        orderByRound.delete(orderByRound.keys().next().value!);
      }
      orderByRound.set(round, order);
    }
    return order;
  }

  /** The next item of the position's round, or null when the round is over. */
  function nextInRound(
    { round, last, at = null, held = null, heldRank = 0 }: OrderPosition,
    isPlayable: IsPlayable,
  ): OrderPosition | null {
    const order = rankRound(round);
    const isDeferredPlayable = held !== null && held !== last && ids.has(held) && isPlayable(held);
    let newlyDeferredId: string | null = null;
    for (
      let index = at === null ? 0 : indexAfter(order, rankItem(seed, round, at));
      index < order.length;
      index++
    ) {
      const { id, rank } = order[index]!;
      if (isDeferredPlayable && heldRank <= rank) {
        return { round, last: held, at, held: null };
      }
      if (!isPlayable(id)) {
        continue;
      }
      if (id === last) {
        newlyDeferredId = id;
        continue;
      }
      const next = { round, last: id, at: id };
      if (newlyDeferredId !== null) {
        const fraction = seededRank(seed, round, newlyDeferredId, 'again') / RANK_COUNT;
        return { ...next, held: newlyDeferredId, heldRank: Math.ceil(rank + (RANK_COUNT - rank) * fraction) };
      }
      // An unplayable item whose place has passed is not shown later in the round.
      return held !== null && heldRank > rank ? { ...next, held, heldRank } : { ...next, held: null };
    }
    return isDeferredPlayable ? { round, last: held, at, held: null } : null;
  }

  return (position, isPlayable) => {
    const fallback = items.find(({ id }) => isPlayable(id));
    if (!fallback) {
      return null;
    }
    const next = { round: position.round + 1, last: position.last };
    return (
      nextInRound(position, isPlayable) ??
      nextInRound(next, isPlayable) ??
        // Only the item shown last is playable.
        { ...next, last: fallback.id, at: fallback.id, held: null }
    );
  };
}

function rankItem(seed: string, round: number, id: string): RankedItem {
  return { id, rank: seededRank(seed, round, id) };
}

function compareRanked(a: RankedItem, b: RankedItem): number {
  return a.rank - b.rank || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Index of the first item after this one, which may have been removed. */
function indexAfter(order: readonly RankedItem[], item: RankedItem): number {
  let from = 0;
  let to = order.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareRanked(order[middle]!, item) <= 0) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

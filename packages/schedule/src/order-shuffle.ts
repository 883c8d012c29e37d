import type { OrderItem, OrderPosition, Pick, Playable } from './order.ts';
import { seededRank } from './seeded.ts';

/**
 * Each item once a round, in an order drawn anew for every round, and no item twice in a row while there is another.
 *
 * The order of a round is by a rank that follows from seed, round and item id alone. So it need not be stored, and an
 * edit never moves the items that stay.
 */
export function shufflePick(items: readonly OrderItem[], seed: string): Pick {
  const rank = (round: number, id: string) => seededRank(seed, round, id);
  const ids = items.map(({ id }) => id);
  let drawn = { round: -1, order: ids };

  function orderOfRound(round: number): readonly string[] {
    if (drawn.round !== round)
      drawn = { round, order: ids.toSorted((a, b) => rank(round, a) - rank(round, b) || (a < b ? -1 : 1)) };
    return drawn.order;
  }

  function inRound(position: OrderPosition, playable: Playable): OrderPosition | null {
    const { round, last } = position;
    const at = position.at ?? null;
    const order = orderOfRound(round);
    const passed = (id: string) =>
      at !== null && (rank(round, id) - rank(round, at) || (id < at ? -1 : id > at ? 1 : 0)) <= 0;
    let held = position.held ?? null;
    if (held !== null && held !== last && ids.includes(held) && playable(held))
      return { round, last: held, at, held: null };
    for (const id of order) {
      if (passed(id) || !playable(id)) continue;
      if (id !== last) return { round, last: id, at: id, held };
      held = id;
    }
    return null;
  }

  return (position, playable) => {
    const playables = ids.filter(playable);
    if (playables.length === 0) return null;
    const next = { round: position.round + 1, last: position.last };
    return (
      inRound(position, playable) ??
      inRound(next, playable) ??
        // The only playable item has just been shown.
        { ...next, last: playables[0]!, at: playables[0]!, held: null }
    );
  };
}

import type { OrderItem, Pick } from './order.ts';
import type { OrderPosition } from './order-position.ts';
import { seededRank } from './seeded-rank.ts';

/**
 * Smooth weighted round-robin: of every `sum(weights)` turns each item gets exactly its weight, spread evenly.
 *
 * At turn k of a round an item is owed k·weight − shown·sum; the one owed most is next. The position is how often each
 * item had its turn in the round, so an edited playlist goes on with what each item is owed by its new weight, and the
 * round still ends with every item shown exactly by weight. An unplayable item's turns pass.
 */
export function weightedPick(items: readonly OrderItem[], seed: string): Pick {
  const entries = items
    .map(({ id, weight }) => ({
      id,
      weight: Math.max(1, Math.trunc(weight ?? 1)),
      rank: seededRank(seed, id),
    }))
    .toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  const sum = entries.reduce((total, { weight }) => total + weight, 0);

  return (position, playable) => {
    if (!entries.some(({ id }) => playable(id))) return null;
    const shown = entries.map(({ id, weight }) => Math.min(timesShown(position, id), weight));
    for (;;) {
      let turn = shown.reduce((total, times) => total + times, 0);
      if (turn === sum) {
        shown.fill(0);
        turn = 0;
      }
      let best = -1;
      let most = -Infinity;
      entries.forEach(({ weight }, index) => {
        const owed = (turn + 1) * weight - shown[index]! * sum;
        if (owed > most) [best, most] = [index, owed];
      });
      shown[best]!++;
      const { id } = entries[best]!;
      if (!playable(id)) continue;
      const counts = entries
        .map((entry, index) => [entry.id, shown[index]!] as const)
        .filter(([, times]) => times > 0);
      return { round: 0, last: id, shown: Object.fromEntries(counts) };
    }
  };
}

function timesShown({ shown }: OrderPosition, id: string): number {
  // Own entries alone: an id may be the name of something that every object has.
  return shown && Object.hasOwn(shown, id) ? shown[id]! : 0;
}

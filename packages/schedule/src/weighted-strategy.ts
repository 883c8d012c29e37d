import type { OrderItem, OrderStrategy } from './order-strategy.ts';
import type { OrderPosition } from './order-position.ts';
import { seededRank } from './seeded-rank.ts';

interface WeightedItem {
  readonly id: string;
  readonly weight: number;
}

/**
 * Smooth weighted round-robin: of every `sum(weights)` turns each item gets exactly its weight, spread evenly, and no
 * item has two turns in a row while that can be avoided, also across two rounds.
 *
 * At turn k of a round the deficit of an item is k·weight − shown·sum; the largest one is next, unless a repeat could
 * then no longer be avoided. The position counts the turns of each item in the round, so an edited playlist continues
 * with the deficits of the new weights, and the round still ends with every item shown exactly by weight. The turns of
 * an unplayable item are skipped.
 */
export function createWeightedStrategy(items: readonly OrderItem[], seed: string): OrderStrategy {
  const entries: WeightedItem[] = items
    .map(({ id, weight }) => ({
      id,
      weight: Math.max(1, Math.trunc(weight ?? 1)),
      rank: seededRank(seed, id),
    }))
    .toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  const totalWeight = entries.reduce((total, { weight }) => total + weight, 0);
  const heaviest = entries.reduce((most, { weight }) => Math.max(most, weight), 0);
  /** The item with most turns; it begins every round. */
  const heaviestIndex = entries.findIndex(({ weight }) => weight === heaviest);
  const indexById = new Map(entries.map(({ id }, index) => [id, index]));

  /**
   * The next turn: the largest deficit, as long as the rest of the round needs no repeat.
   *
   * @param remainingTurns turns that each entry still gets in the round
   * @param turnsTaken finished turns of the round
   * @param lastIndex the entry of the last turn; −1: none
   */
  function nextIndex(remainingTurns: readonly number[], turnsTaken: number, lastIndex: number): number {
    const turnsAfterThis = totalWeight - turnsTaken - 1;
    // Only an entry with about half of the remaining turns can end up next to itself.
    const frequentIndexes = remainingTurns.flatMap((times, index) =>
      times > 0 && times * 2 >= turnsAfterThis - 2 ? [index] : [],
    );
    const avoidsRepeat = (next: number) =>
      next !== lastIndex &&
      frequentIndexes.every((index) => {
        const times = remainingTurns[index]! - (index === next ? 1 : 0);
        // Not right after this turn, and not right before the next round if it begins that one.
        const freeTurns = turnsAfterThis - (index === next ? 1 : 0) - (index === heaviestIndex ? 1 : 0);
        return times <= Math.ceil(freeTurns / 2);
      });
    const mostOverdue = (isAllowed: (index: number) => boolean): number => {
      let best = -1;
      let largestDeficit = -Infinity;
      remainingTurns.forEach((times, index) => {
        if (times === 0) {
          return;
        }
        const { weight } = entries[index]!;
        const deficit = (turnsTaken + 1) * weight - (weight - times) * totalWeight;
        if (deficit > largestDeficit && isAllowed(index)) {
          [best, largestDeficit] = [index, deficit];
        }
      });
      return best;
    };
    // An entry with more than half of all turns must repeat: least often when the others are never adjacent.
    const isAvoidable = entries[heaviestIndex]!.weight * 2 <= totalWeight;
    const separatesHeaviest = (index: number) =>
      index === heaviestIndex || lastIndex === heaviestIndex || lastIndex < 0;
    const dueIndex = mostOverdue(isAvoidable ? avoidsRepeat : separatesHeaviest);
    if (dueIndex >= 0) {
      return dueIndex;
    }
    // The playlist was edited during the round.
    const otherIndex = mostOverdue((index) => index !== lastIndex);
    return otherIndex >= 0 ? otherIndex : lastIndex;
  }

  return (position, isPlayable) => {
    if (!entries.some(({ id }) => isPlayable(id))) {
      return null;
    }
    const timesShownByIndex = entries.map(({ id, weight }) => Math.min(timesShown(position, id), weight));
    let lastIndex = position.last === null ? -1 : (indexById.get(position.last) ?? -1);
    for (;;) {
      let turnsTaken = timesShownByIndex.reduce((total, times) => total + times, 0);
      if (turnsTaken === totalWeight) {
        timesShownByIndex.fill(0);
        turnsTaken = 0;
      }
      const remainingTurns = entries.map(({ weight }, index) => weight - timesShownByIndex[index]!);
      lastIndex = nextIndex(remainingTurns, turnsTaken, lastIndex);
      timesShownByIndex[lastIndex]!++;
      const { id } = entries[lastIndex]!;
      if (!isPlayable(id)) {
        continue;
      }
      const counts = entries
        .map((entry, index) => [entry.id, timesShownByIndex[index]!] as const)
        .filter(([, times]) => times > 0);
      return { round: 0, last: id, shown: Object.fromEntries(counts) };
    }
  };
}

function timesShown({ shown }: OrderPosition, id: string): number {
  // Own properties only: an id may equal the name of an inherited property.
  return shown && Object.hasOwn(shown, id) ? shown[id]! : 0;
}

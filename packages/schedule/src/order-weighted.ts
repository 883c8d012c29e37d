import type { OrderItem, Pick } from './order.ts';
import type { OrderPosition } from './order-position.ts';
import { seededRank } from './seeded-rank.ts';

interface Entry {
  readonly id: string;
  readonly weight: number;
}

/**
 * Smooth weighted round-robin: of every `sum(weights)` turns each item gets exactly its weight, spread evenly, and none
 * has two turns in a row while that can be avoided, also not over the seam of two rounds.
 *
 * At turn k of a round an item is owed k·weight − shown·sum; the one owed most is next, unless a repeat could then not
 * be avoided any more. The position is how often each item had its turn in the round, so an edited playlist goes on
 * with what each item is owed by its new weight, and the round still ends with every item shown exactly by weight. An
 * unplayable item's turns pass.
 */
export function weightedPick(items: readonly OrderItem[], seed: string): Pick {
  const entries: Entry[] = items
    .map(({ id, weight }) => ({
      id,
      weight: Math.max(1, Math.trunc(weight ?? 1)),
      rank: seededRank(seed, id),
    }))
    .toSorted((a, b) => a.rank - b.rank || (a.id < b.id ? -1 : 1));
  const sum = entries.reduce((total, { weight }) => total + weight, 0);
  const heaviest = entries.reduce((most, { weight }) => Math.max(most, weight), 0);
  /** Has most turns, and begins every round. */
  const first = entries.findIndex(({ weight }) => weight === heaviest);
  const places = new Map(entries.map(({ id }, index) => [id, index]));

  return (position, playable) => {
    if (!entries.some(({ id }) => playable(id))) return null;
    const shown = entries.map(({ id, weight }) => Math.min(timesShown(position, id), weight));
    let last = position.last === null ? -1 : (places.get(position.last) ?? -1);
    for (;;) {
      let turn = shown.reduce((total, times) => total + times, 0);
      if (turn === sum) {
        shown.fill(0);
        turn = 0;
      }
      const left = entries.map(({ weight }, index) => weight - shown[index]!);
      last = dueAt({ entries, left, sum, turn, last, first });
      shown[last]!++;
      const { id } = entries[last]!;
      if (!playable(id)) continue;
      const counts = entries
        .map((entry, index) => [entry.id, shown[index]!] as const)
        .filter(([, times]) => times > 0);
      return { round: 0, last: id, shown: Object.fromEntries(counts) };
    }
  };
}

interface Turn {
  entries: readonly Entry[];
  /** Turns that each entry has yet to get in the round. */
  left: readonly number[];
  sum: number;
  /** Turns of the round that are over. */
  turn: number;
  /** Who had the last one (−1: nobody), and who has most turns and begins every round. */
  last: number;
  first: number;
}

/** Whose turn it is: the one owed most, as long as the rest of the round can do without a repeat. */
function dueAt({ entries, left, sum, turn, last, first }: Turn): number {
  const rest = sum - turn - 1;
  // Only one that has about half of what is left can come to stand beside itself.
  const many = left.flatMap((times, index) => (times > 0 && times * 2 >= rest - 2 ? [index] : []));
  const leavesNoRepeat = (next: number) =>
    next !== last &&
    many.every((index) => {
      const times = left[index]! - (index === next ? 1 : 0);
      // It cannot stand right behind the turn that is given now, nor right before the next round if it begins that.
      const room = rest - (index === next ? 1 : 0) - (index === first ? 1 : 0);
      return times <= Math.ceil(room / 2);
    });
  const mostOwed = (may: (index: number) => boolean): number => {
    let best = -1;
    let most = -Infinity;
    left.forEach((times, index) => {
      if (times === 0) return;
      const { weight } = entries[index]!;
      const owed = (turn + 1) * weight - (weight - times) * sum;
      if (owed > most && may(index)) [best, most] = [index, owed];
    });
    return best;
  };
  // One that has more than half of all turns cannot but repeat: least often when the others never meet.
  const isAvoidable = entries[first]!.weight * 2 <= sum;
  const keepsApart = (index: number) => index === first || last === first || last < 0;
  const due = mostOwed(isAvoidable ? leavesNoRepeat : keepsApart);
  if (due >= 0) return due;
  // The playlist was edited within the round.
  const other = mostOwed((index) => index !== last);
  return other >= 0 ? other : last;
}

function timesShown({ shown }: OrderPosition, id: string): number {
  // Own entries alone: an id may be the name of something that every object has.
  return shown && Object.hasOwn(shown, id) ? shown[id]! : 0;
}

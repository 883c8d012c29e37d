import type { OrderItem, OrderStrategy } from './order-strategy.ts';
import type { OrderPosition } from './order-position.ts';

/** In position order, repeated. Unplayable items are skipped and keep their place. */
export function createSequentialStrategy(items: readonly OrderItem[]): OrderStrategy {
  const indexById = new Map(items.map(({ id }, index) => [id, index]));
  return (position, isPlayable) => {
    const from = nextIndex(position, indexById);
    for (let step = 0; step < items.length; step++) {
      const index = (from + step) % items.length;
      const { id } = items[index]!;
      if (isPlayable(id)) {
        return { round: 0, last: id, index, following: items[(index + 1) % items.length]!.id };
      }
    }
    return null;
  };
}

function nextIndex(
  { last, following, index }: OrderPosition,
  indexById: ReadonlyMap<string, number>,
): number {
  const lastIndex = last === null ? undefined : indexById.get(last);
  if (lastIndex !== undefined) {
    return lastIndex + 1;
  }
  // The item shown last was removed: next is the item that was after it, else the one now at its index.
  return (following === undefined ? undefined : indexById.get(following)) ?? index ?? 0;
}

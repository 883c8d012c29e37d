import type { OrderItem, Pick } from './order.ts';
import type { OrderPosition } from './order-position.ts';

/** In position order, round and round. Unplayable items are passed over and keep their place. */
export function sequentialPick(items: readonly OrderItem[]): Pick {
  const places = new Map(items.map(({ id }, index) => [id, index]));
  return (position, playable) => {
    const from = nextPlace(position, places);
    for (let step = 0; step < items.length; step++) {
      const index = (from + step) % items.length;
      const { id } = items[index]!;
      if (playable(id))
        return { round: 0, last: id, index, following: items[(index + 1) % items.length]!.id };
    }
    return null;
  };
}

function nextPlace({ last, following, index }: OrderPosition, places: ReadonlyMap<string, number>): number {
  const place = last === null ? undefined : places.get(last);
  if (place !== undefined) return place + 1;
  // The item shown last was removed: what stood after it is next, else what moved up to its place.
  return (following === undefined ? undefined : places.get(following)) ?? index ?? 0;
}

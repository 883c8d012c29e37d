import { sanitizePosition } from './order-position.ts';
import type { OrderPosition } from './order-position.ts';
import type { IsPlayable, OrderItem, OrderStrategy } from './order-strategy.ts';
import { createSequentialStrategy } from './sequential-strategy.ts';
import { createShuffleStrategy } from './shuffle-strategy.ts';
import { createWeightedStrategy } from './weighted-strategy.ts';

export interface OrderPlaylist {
  readonly id: string;
  readonly mode: 'sequential' | 'shuffle' | 'weighted';
  /** In position order. */
  readonly items: readonly OrderItem[];
}

export interface PlaylistOrder {
  /** The next item's id; advances. Null, without advancing, when nothing is playable. */
  next(isPlayable?: IsPlayable): string | null;
  /** What the next `n` calls of `next` would return; does not advance. Shorter only when nothing is playable. */
  peek(n: number, isPlayable?: IsPlayable): string[];
  position(): OrderPosition;
}

/**
 * The order in which a playlist's items are shown.
 *
 * @param seed decides the order of `shuffle` and ties of `weighted`, e.g. `${deviceId}/${playlistId}`
 * @param position position of an earlier order of this playlist, or of an earlier version of it; damaged parts are
 *   ignored
 *
 * Data derived from the items is cached per array: do not mutate the array, create another.
 */
export function createPlaylistOrder(
  playlist: OrderPlaylist,
  seed: string,
  position?: OrderPosition,
): PlaylistOrder {
  const strategy = strategyFor(playlist, seed);
  let current = sanitizePosition(position);
  return {
    next(isPlayable = () => true) {
      const nextPosition = strategy(current, isPlayable);
      if (nextPosition === null) {
        return null;
      }
      current = nextPosition;
      return current.last;
    },
    peek(n, isPlayable = () => true) {
      const ids: string[] = [];
      let ahead: OrderPosition | null = current;
      while (ids.length < n && (ahead = strategy(ahead, isPlayable))) {
        ids.push(ahead.last!);
      }
      return ids;
    },
    position: () => current,
  };
}

const strategyCache = new WeakMap<
  readonly OrderItem[],
  { mode: OrderPlaylist['mode']; seed: string; strategy: OrderStrategy }
>();

function strategyFor({ mode, items }: OrderPlaylist, seed: string): OrderStrategy {
  const cached = strategyCache.get(items);
  if (cached?.mode === mode && cached.seed === seed) {
    return cached.strategy;
  }
  const strategy = STRATEGY_FACTORIES[mode](items, seed);
  strategyCache.set(items, { mode, seed, strategy });
  return strategy;
}

const STRATEGY_FACTORIES: Record<
  OrderPlaylist['mode'],
  (items: readonly OrderItem[], seed: string) => OrderStrategy
> = {
  sequential: createSequentialStrategy,
  shuffle: createShuffleStrategy,
  weighted: createWeightedStrategy,
};

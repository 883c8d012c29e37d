import { soundPosition } from './order-position.ts';
import type { OrderPosition } from './order-position.ts';
import { sequentialPick } from './order-sequential.ts';
import { shufflePick } from './order-shuffle.ts';
import { weightedPick } from './order-weighted.ts';

export interface OrderItem {
  readonly id: string;
  /** 1–1000; only read in `weighted`, where null counts as 1. */
  readonly weight: number | null;
}

export interface OrderPlaylist {
  readonly id: string;
  readonly mode: 'sequential' | 'shuffle' | 'weighted';
  /** In position order. */
  readonly items: readonly OrderItem[];
}

/** Whether an item can be shown now. */
export type Playable = (itemId: string) => boolean;

export interface Order {
  /** The next item's id; advances. Null, without advancing, when nothing is playable. */
  next(playable?: Playable): string | null;
  /** What the next `n` calls of `next` would answer; does not advance. Shorter only when nothing is playable. */
  peek(n: number, playable?: Playable): string[];
  position(): OrderPosition;
}

/** One step: from a position to the next playable item and the position after it. */
export type Pick = (position: OrderPosition, playable: Playable) => OrderPosition | null;

/**
 * The order in which a playlist's items are shown.
 *
 * @param seed decides the order of `shuffle` and ties of `weighted`, e.g. `${deviceId}/${playlistId}`
 * @param position where an earlier order of this playlist, or of an earlier version of it, stood; what is damaged in
 *   it is left out
 *
 * What follows from the items is kept for as long as the array is: do not change it, make another.
 */
export function orderOf(playlist: OrderPlaylist, seed: string, position?: OrderPosition): Order {
  const pick = pickOf(playlist, seed);
  let current = soundPosition(position);
  return {
    next(playable = () => true) {
      const after = pick(current, playable);
      if (after === null) return null;
      current = after;
      return current.last;
    },
    peek(n, playable = () => true) {
      const ids: string[] = [];
      let ahead: OrderPosition | null = current;
      while (ids.length < n && (ahead = pick(ahead, playable))) ids.push(ahead.last!);
      return ids;
    },
    position: () => current,
  };
}

const kept = new WeakMap<readonly OrderItem[], { mode: OrderPlaylist['mode']; seed: string; pick: Pick }>();

function pickOf({ mode, items }: OrderPlaylist, seed: string): Pick {
  const known = kept.get(items);
  if (known?.mode === mode && known.seed === seed) return known.pick;
  const pick = pickers[mode](items, seed);
  kept.set(items, { mode, seed, pick });
  return pick;
}

const pickers: Record<OrderPlaylist['mode'], (items: readonly OrderItem[], seed: string) => Pick> = {
  sequential: sequentialPick,
  shuffle: shufflePick,
  weighted: weightedPick,
};

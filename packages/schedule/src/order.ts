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

/**
 * Where an order stands: plain JSON to be kept over restarts. It speaks of items by id, so that an edited playlist
 * goes on from the same place.
 */
export interface OrderPosition {
  /** Rounds finished (`shuffle`). */
  readonly round: number;
  /** The item shown last; null at the very beginning. */
  readonly last: string | null;
  /** Place of `last` in its list and the id that stood after it (`sequential`), should `last` be removed. */
  readonly index?: number;
  readonly following?: string;
  /** How far the round has come, and an item put off to keep it from showing twice in a row (`shuffle`). */
  readonly at?: string | null;
  readonly held?: string | null;
  /** How often each item was due in this round (`weighted`). */
  readonly shown?: Readonly<Record<string, number>>;
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
 * @param position where an earlier order of this playlist, or of an earlier version of it, stood
 */
export function orderOf(playlist: OrderPlaylist, seed: string, position?: OrderPosition): Order {
  const pick = pickers[playlist.mode](playlist.items, seed);
  let current: OrderPosition = position ?? { round: 0, last: null };
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

const pickers: Record<OrderPlaylist['mode'], (items: readonly OrderItem[], seed: string) => Pick> = {
  sequential: sequentialPick,
  shuffle: shufflePick,
  weighted: weightedPick,
};

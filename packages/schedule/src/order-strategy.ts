import type { OrderPosition } from './order-position.ts';

export interface OrderItem {
  readonly id: string;
  /** 1–1000; only used in `weighted`, where null counts as 1. */
  readonly weight: number | null;
}

/** Whether an item can be shown now. */
export type IsPlayable = (itemId: string) => boolean;

/** One step: from a position to the next playable item and the position after it. */
export type OrderStrategy = (position: OrderPosition, isPlayable: IsPlayable) => OrderPosition | null;

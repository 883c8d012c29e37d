import type { Random } from '../../src/core/ports.ts';

/** Seeded pseudo-random numbers: the same seed gives the same sequence on every machine. */
export interface SeededRandom extends Random {
  readonly seed: number;
  /** An integer, both bounds included. */
  int(from: number, to: number): number;
  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number;
  chance(probability: number): boolean;
  /** True with probability 1/n. */
  oneIn(n: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** At least one element, in the order of the list. */
  some<T>(list: readonly T[], probability: number): T[];
}

export function createSeededRandom(seed = 1): SeededRandom {
  let state = seed >>> 0;
  // mulberry32: short, and uniform enough for choosing test inputs.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) {
      throw new RangeError('cannot pick from an empty list');
    }
    return list[below(list.length)]!;
  };
  return {
    seed,
    next,
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
    int: (from, to) => from + below(to - from + 1),
    below,
    chance: (probability) => next() < probability,
    oneIn: (n) => next() * n < 1,
    pick,
    some: (list, probability) => {
      const chosen = list.filter(() => next() < probability);
      return chosen.length > 0 ? chosen : [pick(list)];
    },
  };
}

export const createSeed = (): number => Math.floor(Math.random() * 2 ** 32);

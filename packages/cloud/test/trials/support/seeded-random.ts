/** Seeded pseudo-random numbers: the same seed gives the same sequence. */
export interface SeededRandom {
  readonly seed: number;
  /** An integer from 0 to `below` - 1. */
  int(below: number): number;
  /** True with probability 1/n. */
  oneIn(n: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function createSeededRandom(seed: number): SeededRandom {
  let a = seed >>> 0;
  // mulberry32: short, and uniform enough for choosing test inputs.
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = a;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    seed,
    int: (below) => Math.floor(next() * below),
    oneIn: (n) => next() * n < 1,
    pick: (list) => {
      if (list.length === 0) {
        throw new RangeError('cannot pick from an empty list');
      }
      return list[Math.floor(next() * list.length)]!;
    },
  };
}

export const createSeed = (): number => Math.floor(Math.random() * 4_294_967_296);

/** Repeatable chance: the same seed, the same sequence. */
export interface Chance {
  readonly seed: number;
  /** A whole number from 0 up to and without `below`. */
  int(below: number): number;
  /** True once in `n` times. */
  once(n: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function createChance(seed: number): Chance {
  let a = seed >>> 0;
  // mulberry32: short, even enough for choosing what to break next.
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
    once: (n) => next() * n < 1,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('nothing to pick from');
      return list[Math.floor(next() * list.length)]!;
    },
  };
}

export const newSeed = (): number => Math.floor(Math.random() * 4_294_967_296);

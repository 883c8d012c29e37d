/** Seeded random numbers: the same seed gives the same run on every machine. */
export interface Random {
  /** An integer, both bounds included. */
  int(from: number, to: number): number;
  pick<T>(list: readonly T[]): T;
  chance(probability: number): boolean;
  /** At least one element, in the order of the list. */
  some<T>(list: readonly T[], probability: number): T[];
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const random: Random = {
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    pick: (list) => list[Math.floor(next() * list.length)]!,
    chance: (probability) => next() < probability,
    some: (list, probability) => {
      const chosen = list.filter(() => next() < probability);
      return chosen.length > 0 ? chosen : [random.pick(list)];
    },
  };
  return random;
}

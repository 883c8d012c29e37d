import type { Mode } from './playlist-draft.ts';

/**
 * The index of the item that a preview shows as the n-th, counted from 0. Shuffled and weighted orders are like those of screens, which
 * have orders of their own; `random` gives numbers from 0 to 1.
 */
export function chooseNext(
  mode: Mode,
  weights: readonly number[],
  random: () => number = Math.random,
): (number: number) => number {
  const count = weights.length;
  let pass: number[] = [];
  const inOrder = (number: number) => (count === 0 ? 0 : number % count);
  const shuffled = () => {
    if (pass.length === 0) {
      const ranks = weights.map(() => random());
      pass = [...weights.keys()].toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
    }
    return pass.pop() ?? 0;
  };
  const weighted = () => {
    let rest = random() * weights.reduce((sum, weight) => sum + weight, 0);
    return Math.max(
      0,
      weights.findIndex((weight) => (rest -= weight) < 0),
    );
  };
  return { sequential: inOrder, shuffle: shuffled, weighted }[mode];
}

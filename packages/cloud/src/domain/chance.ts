/** Scores of all devices of a kind, and those of the updated ones among them. */
export interface ScoredKind {
  all: readonly number[];
  updated: readonly number[];
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
const SEARCH_STEPS = 40;
/** With less no test of ours is met: the exact bound is not computed. */
const MIN_DEVIATIONS = 2.5;

/**
 * An upper bound of the chance that devices drawn at random, as many of each kind as were updated, have a sum of scores as
 * high as that of the updated ones: Chernoff's bound. Drawn without replacement, they are below it as well (Hoeffding, 1963), so it holds for
 * any scores and numbers of devices.
 */
export function chanceOfSum(kinds: readonly ScoredKind[]): number {
  const drawn = kinds.filter(({ updated, all }) => updated.length > 0 && all.length > updated.length);
  const sum = drawn.reduce((total, { updated }) => total + sumOf(updated), 0);
  const expected = drawn.reduce((total, { updated, all }) => total + updated.length * meanOf(all), 0);
  const variance = drawn.reduce((total, { updated, all }) => total + updated.length * varianceOf(all), 0);
  if (variance === 0 || sum - expected < MIN_DEVIATIONS * Math.sqrt(variance)) {
    return 1;
  }
  /** The logarithm of the bound, which is convex in `theta`. */
  const bound = (theta: number) =>
    drawn.reduce((total, { all, updated }) => total + updated.length * logMeanExp(all, theta), -theta * sum);
  let high = 1;
  while (high < 2 ** 20 && bound(high * 2) < bound(high)) {
    high *= 2;
  }
  let [low, top] = [high / 2, high * 2];
  for (let step = 0; step < SEARCH_STEPS && top - low > top * 1e-4; step += 1) {
    const a = top - GOLDEN * (top - low);
    const b = low + GOLDEN * (top - low);
    if (bound(a) < bound(b)) {
      top = b;
    } else {
      low = a;
    }
  }
  return Math.min(1, Math.exp(bound((low + top) / 2)));
}

/** Between 0 and 1 for each value: its rank among them; the mean rank of equal ones. */
export function ranksOf(values: readonly number[]): number[] {
  const order = values.map((_value, index) => index).toSorted((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = Array.from(values, () => 0);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    while (end < order.length && values[order[end]!] === values[order[start]!]) {
      end += 1;
    }
    for (let each = start; each < end; each += 1) {
      ranks[order[each]!] = (start + end) / 2 / values.length;
    }
    start = end;
  }
  return ranks;
}

/** The chance of `least` or more of `trials`, each with this probability (the binomial distribution, exact). */
export function chanceOfAtLeast(least: number, trials: number, probability: number): number {
  let term = (1 - probability) ** trials;
  let below = 0;
  for (let count = 0; count < least; count += 1) {
    below += term;
    term *= ((trials - count) / (count + 1)) * (probability / (1 - probability));
  }
  // Small chances are added up themselves: their complement has lost its digits.
  if (below < 0.5) {
    return 1 - below;
  }
  let above = 0;
  for (let count = least; count <= trials && term > above * 1e-12; count += 1) {
    above += term;
    term *= ((trials - count) / (count + 1)) * (probability / (1 - probability));
  }
  return above;
}

export const sumOf = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((total, value) => total + (value - mean) ** 2, 0) / values.length;
}

function logMeanExp(values: readonly number[], theta: number): number {
  let highest = -Infinity;
  for (const value of values) {
    highest = Math.max(highest, value);
  }
  let total = 0;
  for (const value of values) {
    total += Math.exp(theta * (value - highest));
  }
  return theta * highest + Math.log(total / values.length);
}

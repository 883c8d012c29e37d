import type { SeededRandom } from '../../../../test/support/seeded-random.ts';

/** With mean 0 and deviation 1. */
export function gaussian(random: SeededRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** Around 1. */
export const logNormal = (deviation: number, random: SeededRandom): number =>
  Math.exp(gaussian(random) * deviation);

/** Between the bounds; small values are as frequent as large ones. */
export const logUniform = (min: number, max: number, random: SeededRandom): number =>
  Math.exp(Math.log(min) + (Math.log(max) - Math.log(min)) * random.next());

export function poisson(mean: number, random: SeededRandom): number {
  if (mean > 30) {
    return Math.max(0, Math.round(mean + gaussian(random) * Math.sqrt(mean)));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random.next(); product > limit; product *= random.next()) {
    count += 1;
  }
  return count;
}

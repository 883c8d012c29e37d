/** Ranks are integers from 0 to below this. */
export const RANK_COUNT = 2 ** 32;

/**
 * A 32-bit pseudo-random number that depends on the texts alone, so that an order needs no stored permutation and is
 * the same on every machine and after every restart. (FNV-1a with a final mixing step.)
 */
export function seededRank(...texts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const text of texts) {
    for (const char of `${text}\0`) {
      hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
    }
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

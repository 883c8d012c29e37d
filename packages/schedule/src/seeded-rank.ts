/** Ranks are integers from 0 to below this. */
export const RANK_COUNT = 2 ** 32;

/**
 * A 32-bit pseudo-random number that depends on the text alone, so that an order needs no stored permutation and is
 * the same on every machine and after every restart.
 */
export function hashText(text: string): number {
  // FNV-1a, then the finalizer of MurmurHash3, because FNV alone leaves similar texts close together.
  let hash = 0x811c9dc5;
  for (const char of text) {
    hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The hash of several texts together, as a rank. */
export const seededRank = (...texts: readonly (string | number)[]): number =>
  hashText(texts.map((text) => `${text}\0`).join(''));

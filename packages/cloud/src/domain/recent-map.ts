/** A map that keeps at least the `minSize` entries that were used last, and at most twice as many. */
export interface RecentMap<K, V> {
  /** Counts as a use of the entry. */
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
}

/**
 * Entries are in one of two maps; when the newer one is full, it becomes the older one, whose entries are forgotten unless
 * they are used again. Finding the least recently used entry of one `Map` takes 170 µs with 100,000 entries.
 */
export function createRecentMap<K, V>(minSize: number): RecentMap<K, V> {
  let recent = new Map<K, V>();
  let earlier = new Map<K, V>();

  const set = (key: K, value: V): void => {
    if (recent.size >= minSize && !recent.has(key)) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(key, value);
  };

  return {
    get(key) {
      const found = recent.get(key);
      if (found !== undefined) {
        return found;
      }
      const old = earlier.get(key);
      if (old !== undefined) {
        set(key, old);
      }
      return old;
    },
    set,
    delete(key) {
      recent.delete(key);
      earlier.delete(key);
    },
  };
}

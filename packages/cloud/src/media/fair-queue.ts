/** Waiting items of several owners: each owner has its turn, and none can fill the queue alone. */
export interface FairQueue<T> {
  readonly size: number;
  /** False when the queue, or the share of the owner, is full. */
  push(owner: string, item: T): boolean;
  /** The oldest item of the owner whose turn it is; owners that `mayGo` says no to wait for a later one. */
  next(mayGo?: (owner: string) => boolean): T | undefined;
}

export function createFairQueue<T>(limits: { most: number; mostOfOne: number }): FairQueue<T> {
  // In the order of their turns.
  const owners = new Map<string, T[]>();
  let size = 0;
  return {
    get size() {
      return size;
    },
    push(owner, item) {
      const mine = owners.get(owner) ?? [];
      if (size >= limits.most || mine.length >= limits.mostOfOne) return false;
      mine.push(item);
      owners.set(owner, mine);
      size++;
      return true;
    },
    next(mayGo = () => true) {
      for (const [owner, mine] of owners) {
        if (!mayGo(owner)) continue;
        const item = mine.shift();
        owners.delete(owner);
        if (item === undefined) continue;
        if (mine.length > 0) owners.set(owner, mine);
        size--;
        return item;
      }
      return undefined;
    },
  };
}

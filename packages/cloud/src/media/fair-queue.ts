/** A round-robin queue of several owners: none can fill it alone. */
export function createFairQueue<T>(limits: { maxSize: number; maxPerOwner: number }) {
  // In the order of their turns.
  const owners = new Map<string, T[]>();
  let size = 0;
  return {
    /** False if the queue, or the owner's share, is full. */
    push(owner: string, item: T): boolean {
      const items = owners.get(owner) ?? [];
      if (size >= limits.maxSize || items.length >= limits.maxPerOwner) {
        return false;
      }
      items.push(item);
      owners.set(owner, items);
      size++;
      return true;
    },
    /** The oldest item of the next owner; owners for which `isAllowed` returns false keep their place. */
    next(isAllowed: (owner: string) => boolean = () => true): T | undefined {
      for (const [owner, items] of owners) {
        if (!isAllowed(owner)) {
          continue;
        }
        const item = items.shift();
        owners.delete(owner);
        if (item === undefined) {
          continue;
        }
        if (items.length > 0) {
          owners.set(owner, items);
        }
        size--;
        return item;
      }
      return undefined;
    },
  };
}

/** Runs changes one at a time. */
export interface Turns {
  /**
   * The changes of one owner keep their order. Another waits for at most one of them; so does a change that is
   * nobody's (null), and those keep their order among themselves.
   */
  take<T>(owner: string | null, change: () => Promise<T>): Promise<T>;
}

/** `pause` lets others have their turn between two changes. */
export function createTurns(pause: () => Promise<unknown>): Turns {
  /** In the order of their turns. */
  const lines = new Map<string | symbol, (() => Promise<unknown>)[]>();
  let running = false;
  const run = async (): Promise<void> => {
    running = true;
    for (const [owner, line] of lines) {
      await line.shift()?.();
      await pause();
      // Only now: who came in the meantime is before the next of this owner.
      lines.delete(owner);
      if (line.length > 0) lines.set(owner, line);
    }
    running = false;
  };
  return {
    take: (owner, change) =>
      new Promise((resolve, reject) => {
        const mine = owner ?? Symbol('nobody');
        const line = lines.get(mine) ?? [];
        line.push(async () => {
          try {
            resolve(await change());
          } catch (error) {
            reject(error);
          }
        });
        lines.set(mine, line);
        if (!running) void run();
      }),
  };
}

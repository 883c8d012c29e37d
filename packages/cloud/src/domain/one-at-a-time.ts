/** Runs pieces of work one after the other. Null instead of an answer when too many wait already. */
export interface OneAtATime {
  run<T>(work: () => Promise<T>): Promise<T> | null;
}

export interface OneAtATimeDeps {
  mostWaiting: number;
  /** Lets others have their turn between two pieces. */
  pause: () => Promise<unknown>;
}

export function createOneAtATime({ mostWaiting, pause }: OneAtATimeDeps): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    run(work) {
      if (waiting >= mostWaiting) return null;
      waiting += 1;
      const mine = last.then(work).finally(() => (waiting -= 1));
      last = mine.catch(() => undefined).then(pause);
      return mine;
    },
  };
}

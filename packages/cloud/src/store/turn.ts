const waiting: (() => void)[] = [];
const goOn = (): void => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(goOn);
};

/**
 * A turn of the event loop for one piece of work, a slice of many rows or a request: however many come at the same time,
 * others wait for one of them.
 */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });

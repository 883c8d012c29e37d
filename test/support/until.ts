import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 50;

/**
 * Looks again and again until `probe` answers something truthy, and returns that; a throwing probe counts as "not yet".
 * Rejects after `withinMs`, saying what was waited for and what was seen last.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T> | T,
  withinMs = 60_000,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<Exclude<T, null | undefined | false | '' | 0>> {
  const deadline = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await probe();
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- truthiness is what the type says
      if (answer) return answer as Exclude<T, null | undefined | false | '' | 0>;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline)
      throw new Error(`waited ${withinMs} ms for ${what}; last seen: ${String(last)}`);
    await sleep(lookEveryMs);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';

const POLL_INTERVAL_MS = 50;

/**
 * Polls until `probe` returns something truthy, and returns that; a probe that throws counts as "not yet".
 * Rejects after `withinMs`, naming what was waited for and the last result.
 */
export async function waitUntil<T>(
  what: string,
  probe: () => Promise<T> | T,
  withinMs = 60_000,
  pollIntervalMs = POLL_INTERVAL_MS,
): Promise<Exclude<T, null | undefined | false | '' | 0>> {
  const deadline = performance.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const result = await probe();
      if (result) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- truthiness is what the type says
        return result as Exclude<T, null | undefined | false | '' | 0>;
      }
      last = result;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`waited ${withinMs} ms for ${what}; last result: ${String(last)}`);
    }
    await sleep(pollIntervalMs);
  }
}

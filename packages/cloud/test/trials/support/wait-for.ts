import { setTimeout as sleep } from 'node:timers/promises';
import { must } from './breach.ts';

/** Waits until a condition holds; a breach when it does not within the time. */
export async function waitFor(
  sentence: string | (() => string),
  holds: () => Promise<boolean> | boolean,
  withinMs = 60_000,
  everyMs = 25,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    must(
      performance.now() < deadline,
      `within ${withinMs} ms it did not happen that ${typeof sentence === 'string' ? sentence : sentence()}`,
    );
    await sleep(everyMs);
  }
}

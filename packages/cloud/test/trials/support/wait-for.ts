import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from './contract-violation.ts';

/** Waits until a condition holds; throws a `ContractViolation` after the timeout. */
export async function waitFor(
  expectation: string | (() => string),
  condition: () => Promise<boolean> | boolean,
  withinMs = 60_000,
  everyMs = 25,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    assert(
      performance.now() < deadline,
      `not within ${withinMs} ms: ${typeof expectation === 'string' ? expectation : expectation()}`,
    );
    await sleep(everyMs);
  }
}

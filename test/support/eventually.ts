import { vi } from 'vitest';

/** Retries an assertion until it holds. The timeout is long enough for a busy machine. */
export const eventually = <T>(assertion: () => T | Promise<T>, timeout = 60_000): Promise<T> =>
  vi.waitFor(assertion, { timeout, interval: 20 });

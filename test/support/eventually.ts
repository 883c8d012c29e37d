import { vi } from 'vitest';

/** Retries until the condition holds. The timeout is long enough for a busy machine. */
export const eventually = <T>(condition: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(condition, { timeout: 20_000, interval: 20 });

import { vi } from 'vitest';

/** Tries until it holds. Long enough for a machine that does ten other things. */
export const eventually = <T>(holds: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(holds, { timeout: 20_000, interval: 20 });

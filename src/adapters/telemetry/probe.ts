import type { Log } from '../../core/ports.ts';

/**
 * Wraps a probe so that it never throws, has a timeout, and never runs twice at once: a call while an earlier one
 * hangs returns the missing value. Some system calls hang for minutes.
 */
export function probe<T>(deps: {
  name: string;
  timeoutMs: number;
  missing: T;
  read(): Promise<T>;
  log: Log;
}): () => Promise<T> {
  let running = false;
  let warned = false;
  const fail = (reason: string) => {
    // Logged once: a missing sensor stays missing, and the log is read by people.
    if (!warned) {
      deps.log.info({ probe: deps.name, reason }, 'telemetry.probe_failed');
    }
    warned = true;
    return deps.missing;
  };
  return async () => {
    if (running) {
      return fail('still running');
    }
    running = true;
    const reading = deps
      .read()
      .catch((error: unknown) => fail(String(error)))
      .finally(() => {
        running = false;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<T>((resolve) => {
      timer = setTimeout(() => resolve(fail('timed out')), deps.timeoutMs);
    });
    return Promise.race([reading, late]).finally(() => clearTimeout(timer));
  };
}

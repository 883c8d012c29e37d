import type { Log } from '../../src/core/ports.ts';

export interface LoggedEvent {
  level: 'debug' | 'info' | 'warn' | 'error';
  event: string;
  facts: object;
}

/** A log that tests may read. */
export function createQuietLog(): Log & { readonly events: LoggedEvent[] } {
  const events: LoggedEvent[] = [];
  const at = (level: LoggedEvent['level']) => (facts: object, event: string) => {
    events.push({ level, event, facts });
    // A simulated month would fill the memory otherwise.
    if (events.length > 5_000) events.splice(0, 1_000);
  };
  const log = {
    events,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  };
  return log;
}

import type { Log } from '../../src/core/ports.ts';

export interface LoggedEvent {
  level: 'debug' | 'info' | 'warn' | 'error';
  event: string;
  details: object;
}

/** A log whose events tests can read. */
export function createRecordingLog(): Log & { readonly events: LoggedEvent[] } {
  const events: LoggedEvent[] = [];
  const recordAt = (level: LoggedEvent['level']) => (details: object, event: string) => {
    events.push({ level, event, details });
    // Bounded, because a simulated month would fill the memory.
    if (events.length > 5_000) {
      events.splice(0, 1_000);
    }
  };
  const log = {
    events,
    debug: recordAt('debug'),
    info: recordAt('info'),
    warn: recordAt('warn'),
    error: recordAt('error'),
    child: () => log,
  };
  return log;
}

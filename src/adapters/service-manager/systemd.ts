import { execFile } from 'node:child_process';
import type { Clock, Log } from '../../core/ports.ts';

export interface SystemdDeps {
  /** `NOTIFY_SOCKET` and `WATCHDOG_USEC` are set by systemd for a unit of type `notify`. */
  env: NodeJS.ProcessEnv;
  clock: Pick<Clock, 'monoMs'>;
  log: Log;
  /** For tests. */
  command?: string;
}

const NOTIFY_TIMEOUT_MS = 10_000;

/** Without systemd it does nothing. Node has no Unix datagram sockets, hence the program `systemd-notify`. */
export function createSystemd({ env, clock, log, command = 'systemd-notify' }: SystemdDeps) {
  if (!env['NOTIFY_SOCKET']) {
    return { onPageBeat: () => {} };
  }
  const watchdogMs = Number(env['WATCHDOG_USEC'] ?? 0) / 1_000;
  // Three times per deadline; without a watchdog, READY is sent once.
  const everyMs = watchdogMs > 0 ? watchdogMs / 3 : Number.POSITIVE_INFINITY;
  let ready = false;
  let running = false;
  let nextMonoMs = Number.NEGATIVE_INFINITY;

  return {
    /** The page draws: marks the unit as ready and resets its watchdog. Called with every beat of the page. */
    onPageBeat() {
      if (running || clock.monoMs() < nextMonoMs) {
        return;
      }
      running = true;
      const args = ready ? ['WATCHDOG=1'] : ['--ready', 'WATCHDOG=1'];
      const notifiedAtMonoMs = clock.monoMs();
      // The program waits until systemd has read the message: a process that is gone may not be matched to the unit.
      execFile(command, args, { timeout: NOTIFY_TIMEOUT_MS }, (error) => {
        running = false;
        if (error) {
          log.warn({ error: error.message }, 'systemd.notify_failed');
          return;
        }
        ready = true;
        nextMonoMs = notifiedAtMonoMs + everyMs;
      });
    },
  };
}

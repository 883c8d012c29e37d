import { execFile } from 'node:child_process';
import type { Clock, Log } from '../../core/ports.ts';

export interface SystemdDeps {
  /** `NOTIFY_SOCKET` and `WATCHDOG_USEC` are set by systemd for a unit of type `notify`. */
  env: Readonly<Record<string, string | undefined>>;
  clock: Pick<Clock, 'mono'>;
  log: Log;
  /** For tests. */
  command?: string;
}

export interface ServiceManager {
  /** The page draws: the unit is ready, and its watchdog is fed. Called as often as the page says so. */
  pageDraws(): void;
}

const GIVE_UP_MS = 10_000;

/** Without systemd it does nothing. Node has no datagram sockets of the file system, hence the program. */
export function createSystemd({ env, clock, log, command = 'systemd-notify' }: SystemdDeps): ServiceManager {
  if (!env['NOTIFY_SOCKET']) return { pageDraws: () => {} };
  const watchdogMs = Number(env['WATCHDOG_USEC'] ?? 0) / 1_000;
  // Three times per deadline; without a watchdog it is enough to have said that all is ready.
  const everyMs = watchdogMs > 0 ? watchdogMs / 3 : Number.POSITIVE_INFINITY;
  let ready = false;
  let running = false;
  let nextMono = Number.NEGATIVE_INFINITY;

  return {
    pageDraws() {
      if (running || clock.mono() < nextMono) return;
      running = true;
      const words = ready ? ['WATCHDOG=1'] : ['--ready', 'WATCHDOG=1'];
      const saidMono = clock.mono();
      // Waits until systemd has read it: one that is gone at once may not be known as a process of the unit.
      execFile(command, words, { timeout: GIVE_UP_MS }, (error) => {
        running = false;
        if (error) {
          log.warn({ error: error.message }, 'systemd.not_told');
          return;
        }
        ready = true;
        nextMono = saidMono + everyMs;
      });
    },
  };
}

import { backoffMs } from '../core/backoff.ts';
import type { Clock, Log, Random } from '../core/ports.ts';

/** A loop of the player. It returns when its signal aborts or its work is done; when it throws, it is run again. */
export interface Service {
  name: string;
  run(signal: AbortSignal): Promise<void>;
}

export interface SupervisorDeps {
  clock: Clock;
  random: Random;
  log: Log;
}

const RESTART = { baseMs: 1_000, capMs: 60_000 };
/** A service that ran this long was well, and begins again with the shortest wait. */
const WELL_MS = 60_000;
/** After a stop nobody is waited for longer than this. */
const STOP_MS = 5_000;

/** Runs services side by side until the signal aborts; resolves when all have ended, or after 5 s. */
export async function supervise(
  services: readonly Service[],
  deps: SupervisorDeps,
  signal: AbortSignal,
): Promise<void> {
  const running = new Set<string>();
  const all = Promise.all(
    services.map(async (service) => {
      running.add(service.name);
      await keepRunning(service, deps, signal);
      running.delete(service.name);
    }),
  );
  await Promise.race([all, stopTime(deps.clock, signal)]);
  if (running.size > 0) deps.log.warn({ services: [...running] }, 'service.stuck');
}

async function stopTime(clock: Clock, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  await clock.sleep(STOP_MS, new AbortController().signal);
}

async function keepRunning(service: Service, deps: SupervisorDeps, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = deps;
  let attempt = 0;
  while (!signal.aborted) {
    const began = clock.mono();
    try {
      await service.run(signal);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const stack = error instanceof Error ? error.stack : String(error);
      log.error({ service: service.name, error: stack }, 'service.failed');
    }
    if (signal.aborted) return;
    attempt = clock.mono() - began > WELL_MS ? 0 : attempt + 1;
    await clock.sleep(backoffMs(attempt, random.next(), RESTART), signal);
  }
}

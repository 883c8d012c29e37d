import { backoffMs } from '../../core/backoff.ts';
import type { Clock } from '../../core/ports.ts';
import type { Ports } from './service-deps.ts';

/** A long-running loop. It returns when its signal aborts or its work is done; when it throws, it is restarted. */
export interface Service {
  name: string;
  run(signal: AbortSignal): Promise<void>;
}

type SupervisorDeps = Pick<Ports, 'clock' | 'random' | 'log'>;

const RESTART = { baseMs: 1_000, capMs: 60_000 };
/** After a run this long the restart backoff starts again at its minimum. */
const STABLE_RUN_MS = 60_000;
/** Longest wait for services to end after a stop. */
const STOP_MS = 5_000;

/** Runs services concurrently until the signal aborts; resolves when all have ended, or after 5 s. */
export async function runServices(
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
  await Promise.race([all, waitForStopTimeout(deps.clock, signal)]);
  if (running.size > 0) {
    deps.log.warn({ services: [...running] }, 'service.stop_failed');
  }
}

async function waitForStopTimeout(clock: Clock, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  await clock.sleep(STOP_MS, new AbortController().signal);
}

async function keepRunning(service: Service, deps: SupervisorDeps, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = deps;
  let attempt = 0;
  while (!signal.aborted) {
    const began = clock.monoMs();
    try {
      await service.run(signal);
      return;
    } catch (error) {
      if (signal.aborted) {
        return;
      }
      const stack = error instanceof Error ? error.stack : String(error);
      log.error({ service: service.name, error: stack }, 'service.failed');
    }
    if (signal.aborted) {
      return;
    }
    attempt = clock.monoMs() - began > STABLE_RUN_MS ? 0 : attempt + 1;
    await clock.sleep(backoffMs(attempt, random.next(), RESTART), signal);
  }
}

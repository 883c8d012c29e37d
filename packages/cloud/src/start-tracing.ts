import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { TracingSettings } from './config/tracing-options.ts';
import type { Clock } from './domain/clock.ts';
import { NO_EDIT_TRACING } from './domain/edit-tracing.ts';
import type { EditTracing } from './domain/edit-tracing.ts';
import type { Job } from './jobs/job-runner.ts';

export interface TracingParts {
  tracing: EditTracing;
  jobs: readonly Job[];
}

/** What a cloud with traces has more than one without, which does not load the library. */
export async function createTracingParts(
  settings: TracingSettings | undefined,
  {
    version,
    clock,
    log,
    shutdownSteps,
  }: { version: string; clock: Clock; log: Logger; shutdownSteps: (() => Promise<void>)[] },
): Promise<TracingParts> {
  if (!settings) {
    return { tracing: NO_EDIT_TRACING, jobs: [] };
  }
  const { createOpenTelemetry } = await import('./tracing/open-telemetry.ts');
  const { tracing, expire, close } = await createOpenTelemetry({
    endpoint: settings.endpoint,
    headers: settings.headers ?? {},
    resource: {
      'service.name': 'placard-cloud',
      'service.version': version,
      'service.instance.id': randomUUID(),
    },
    nowMs: () => clock.nowMs(),
    log,
  });
  shutdownSteps.push(close);
  return { tracing, jobs: [{ name: 'traces', intervalMs: 60_000, run: async () => expire() }] };
}

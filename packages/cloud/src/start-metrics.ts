import { operations } from '@placard/protocol/api';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { MetricsSettings } from './config/metrics-options.ts';
import { DEFAULT_METRICS_HOST } from './config/metrics-options.ts';
import { operatorCountRepository } from './database/operator-counts.ts';
import type { Storage } from './database/storage.ts';
import type { Clock } from './domain/clock.ts';
import { NO_MEASUREMENTS } from './domain/measurements.ts';
import type { Measurements } from './domain/measurements.ts';
import { nextEventLoopTurn } from './event-loop/next-turn.ts';
import { addMetricsRoute } from './http/metrics-route.ts';
import { toListenError } from './http-server/listen.ts';
import type { Job } from './jobs/job-runner.ts';
import { COUNT_INTERVAL_MS, createBackgroundCounts } from './metrics/background-counts.ts';
import type { GaugeSources } from './metrics/gauges.ts';

export interface MetricsParts {
  measurements: Measurements;
  addRoute: (app: FastifyInstance) => void;
  jobs: readonly Job[];
  /** Opens the port of the metrics, and counts for the first time. Returns the URL; null without a port of its own. */
  open: () => Promise<string | null>;
}

const NO_METRICS: MetricsParts = {
  measurements: NO_MEASUREMENTS,
  addRoute() {},
  jobs: [],
  open: async () => null,
};

/** What a cloud with metrics has more than one without, which does not load the library. */
export async function createMetricsParts(
  settings: MetricsSettings | undefined,
  {
    storage,
    clock,
    log,
    shutdownSteps,
    ...sources
  }: Omit<GaugeSources, 'counts' | 'databaseConnections' | 'nowMs'> & {
    storage: Pick<Storage, 'db' | 'measure' | 'connectionCounts'>;
    clock: Clock;
    log: Logger;
    shutdownSteps: (() => Promise<void>)[];
  },
): Promise<MetricsParts> {
  if (!settings) {
    return NO_METRICS;
  }
  const { createMetrics } = await import('./metrics/prometheus.ts');
  const operatorCounts = operatorCountRepository(storage.db, nextEventLoopTurn);
  const counts = createBackgroundCounts({
    count: () => operatorCounts.count(),
    measureStorage: () => storage.measure(),
    clock,
  });
  const metrics = await createMetrics([...Object.keys(operations), 'other'], {
    ...sources,
    counts,
    nowMs: () => clock.nowMs(),
    databaseConnections: storage.connectionCounts,
  });
  const { port, host = DEFAULT_METRICS_HOST, token } = settings;
  return {
    measurements: metrics.measurements,
    addRoute(app) {
      if (token !== undefined) {
        addMetricsRoute(app, { token, scrape: metrics.scrape });
      }
    },
    jobs: [{ name: 'metrics', intervalMs: COUNT_INTERVAL_MS, run: counts.refresh }],
    async open() {
      // The next interval counts again after a failure.
      void counts.refresh().catch(() => {});
      if (port === undefined) {
        return null;
      }
      const { openMetricsPort } = await import('./metrics/metrics-port.ts');
      const opened = await openMetricsPort(metrics, { host, port, log }).catch((error: unknown) => {
        throw toListenError(error, { host, port }, { port: '--metrics-port', host: '--metrics-host' });
      });
      shutdownSteps.push(opened.close);
      return `http://${host.includes(':') ? `[${host}]` : host}:${opened.port}/metrics`;
    },
  };
}

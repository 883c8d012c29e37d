import type { Measurements } from '../domain/measurements.ts';
import { gaugesOf } from './gauges.ts';
import type { GaugeSources } from './gauges.ts';
import { createRequestMetrics } from './request-metrics.ts';

/** A response is rendered at most this often: many scrapes cost no more than one a second. */
const MIN_RENDER_INTERVAL_MS = 1_000;
/** They list every open socket at each scrape. */
const COSTLY_METRICS = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'process_open_fds',
];

export interface Metrics {
  measurements: Measurements;
  /** The text that Prometheus reads, at most a second old. */
  scrape: () => Promise<{ contentType: string; text: string }>;
}

/** The metrics of this node. `operations`: the values of the label `operation`, which are counted from zero on. */
export async function createMetrics(operations: readonly string[], sources: GaugeSources): Promise<Metrics> {
  // In the bundle an import above would be loaded by every cloud.
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('prom-client');
  const register = new Registry();
  collectDefaultMetrics({ register });
  for (const name of COSTLY_METRICS) {
    register.removeSingleMetric(name);
  }
  const requests = createRequestMetrics(operations);
  const heartbeats = { http: 0, socket: 0 };
  const deliveries = { succeeded: 0, failed: 0 };
  // What never happened is 0 and not missing, so that a rate of it is known from the first time on.
  const addCounter = (name: string, help: string, label: string, values: Record<string, number>): void => {
    const counter = new Counter({
      name,
      help,
      labelNames: [label],
      registers: [],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(values)) {
          this.inc({ [label]: value }, count);
        }
      },
    });
    register.registerMetric(counter);
  };
  addCounter(
    'placard_heartbeats_total',
    'Heartbeats stored, by the way on which they arrived.',
    'transport',
    heartbeats,
  );
  addCounter(
    'placard_webhook_deliveries_total',
    'Attempts to deliver an event to a webhook, by outcome.',
    'outcome',
    deliveries,
  );
  for (const { name, help, labelNames, read } of gaugesOf(sources)) {
    const gauge = new Gauge({
      name,
      help,
      labelNames: labelNames ?? [],
      registers: [],
      collect() {
        const readings = read();
        this.reset();
        if (readings.length === 0 && labelNames === undefined) {
          // Otherwise the library reports 0 for what is not known.
          this.remove();
        }
        for (const { labels = {}, value } of readings) {
          this.set(labels, value);
        }
      },
    });
    register.registerMetric(gauge);
  }

  let rendered: Promise<string> | null = null;
  let renderedAtMs = Number.NEGATIVE_INFINITY;
  return {
    measurements: {
      requestFinished: requests.requestFinished,
      heartbeatAccepted: (transport) => void (heartbeats[transport] += 1),
      deliveryAttempted: (outcome) => void (deliveries[outcome] += 1),
    },
    async scrape() {
      const nowMs = performance.now();
      if (!rendered || nowMs - renderedAtMs >= MIN_RENDER_INTERVAL_MS) {
        renderedAtMs = nowMs;
        rendered = register.metrics().then((others) => `${others}\n${requests.text()}`);
      }
      return { contentType: register.contentType, text: await rendered };
    },
  };
}

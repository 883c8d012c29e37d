import { AsyncLocalStorage } from 'node:async_hooks';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { ApiError } from '../domain/api-error.ts';
import type { EditTracing } from '../domain/edit-tracing.ts';
import { createScreenSpans } from './screen-spans.ts';
import { createOtlpExporter } from './otlp-exporter.ts';
import { parseTraceparent, traceparentOf } from './traceparent.ts';
import type { OpenTelemetryApi } from './traceparent.ts';

/** Edits that one push can have in their traces. */
const MAX_TRACES_PER_PUSH = 10;
/** Spans wait this long to be sent together. */
const SEND_INTERVAL_MS = 2_000;

export interface OpenTelemetryOptions {
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  resource: Attributes;
  nowMs: () => number;
  log: Pick<Logger, 'warn' | 'info'>;
}

export interface OpenTelemetry {
  tracing: EditTracing;
  /** Ends the spans of screens that did not acknowledge in time. */
  expire: () => void;
  /** Sends what is waiting. */
  close: () => Promise<void>;
}

/** Traces with the SDK of OpenTelemetry, sent to a receiver of OTLP. */
export async function createOpenTelemetry({
  nowMs,
  ...options
}: OpenTelemetryOptions): Promise<OpenTelemetry> {
  // In the bundle imports above would be loaded by every cloud.
  const [api, { BatchSpanProcessor, TracerProvider }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
  ]);
  const { ROOT_CONTEXT, SpanKind, trace } = api;
  const provider = new TracerProvider({
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createOtlpExporter(options),
        scheduledDelayMillis: SEND_INTERVAL_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('placard');
  /** Of the request that is running. */
  const running = new AsyncLocalStorage<Context>();
  const screens = createScreenSpans(api, tracer, nowMs);

  return {
    tracing: {
      request({ operation, method, path, requestId, traceparent }, run) {
        const parent = parseTraceparent(traceparent, api) ?? ROOT_CONTEXT;
        const attributes = {
          'http.request.method': method,
          'http.route': path,
          'placard.request_id': requestId,
        };
        const span = tracer.startSpan(operation, { kind: SpanKind.SERVER, attributes }, parent);
        return runWithin(api, span, () => running.run(trace.setSpan(parent, span), run));
      },
      part(name, run, within) {
        const parent = within ? parseTraceparent(within[0], api) : running.getStore();
        if (!parent) {
          return run([]);
        }
        const span = tracer.startSpan(name, {}, parent);
        return runWithin(api, span, () => run([traceparentOf(span)]));
      },
      beginPush(traces) {
        const pushes = traces.slice(0, MAX_TRACES_PER_PUSH).flatMap((traceparent) => {
          const parent = parseTraceparent(traceparent, api);
          return parent ? [tracer.startSpan('manifest.push', { kind: SpanKind.PRODUCER }, parent)] : [];
        });
        screens.beginPush(pushes);
        return () => screens.endPush();
      },
      told: screens.told,
      applied: screens.applied,
    },
    expire: screens.expire,
    close: async () => {
      screens.close();
      // The log has the reason why something could not be sent.
      await provider.shutdown().catch(() => {});
    },
  };
}

async function runWithin<T>(
  { SpanStatusCode }: OpenTelemetryApi,
  span: Span,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    // Messages may quote what a customer sent.
    span.setStatus({ code: SpanStatusCode.ERROR });
    span.setAttribute('error.type', error instanceof ApiError ? error.code : 'INTERNAL_ERROR');
    throw error;
  } finally {
    span.end();
  }
}

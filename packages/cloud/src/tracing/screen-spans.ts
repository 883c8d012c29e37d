import type { Span, Tracer } from '@opentelemetry/api';
import type { OpenTelemetryApi } from './traceparent.ts';

/** Of an edit for 10,000 screens these are followed, as examples; the push has the number of all. */
const MAX_SCREENS_PER_PUSH = 20;
/** Of all edits. */
const MAX_WAITING = 1_000;
/** A screen that has not applied a revision by then downloads for long, or is gone. */
const MAX_WAIT_MS = 10 * 60_000;

interface Waiting {
  revision: string;
  spans: readonly Span[];
  sinceMs: number;
}

/** The spans from the push of a revision to a screen until the screen reports that it has applied it. */
export function createScreenSpans(
  { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }: OpenTelemetryApi,
  tracer: Tracer,
  nowMs: () => number,
) {
  /** By device, oldest first. */
  const waiting = new Map<string, Waiting>();
  let pushes: readonly Span[] = [];
  let told = 0;

  const end = (deviceId: string, outcome: 'applied' | 'superseded' | 'timed_out' | 'stopped'): void => {
    for (const span of waiting.get(deviceId)?.spans ?? []) {
      span.setAttribute('placard.outcome', outcome);
      if (outcome === 'timed_out') {
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    }
    waiting.delete(deviceId);
  };

  return {
    beginPush(spans: readonly Span[]): void {
      pushes = spans;
      told = 0;
    },
    endPush(): void {
      for (const span of pushes) {
        span.setAttribute('placard.screens', told);
        span.end();
      }
      pushes = [];
    },
    told(this: void, deviceId: string, revision: string): void {
      end(deviceId, 'superseded');
      if (pushes.length === 0) {
        return;
      }
      told += 1;
      if (told > MAX_SCREENS_PER_PUSH || waiting.size >= MAX_WAITING) {
        return;
      }
      const attributes = { 'placard.device_id': deviceId, 'placard.revision': revision };
      const spans = pushes.map((push) =>
        tracer.startSpan(
          'screen.apply',
          { kind: SpanKind.CONSUMER, attributes },
          trace.setSpan(ROOT_CONTEXT, push),
        ),
      );
      waiting.set(deviceId, { revision, spans, sinceMs: nowMs() });
    },
    applied(this: void, deviceId: string, revision: string | null): void {
      if (waiting.get(deviceId)?.revision === revision) {
        end(deviceId, 'applied');
      }
    },
    expire(this: void): void {
      const beforeMs = nowMs() - MAX_WAIT_MS;
      for (const [deviceId, { sinceMs }] of waiting) {
        if (sinceMs <= beforeMs) {
          end(deviceId, 'timed_out');
        }
      }
    },
    close(): void {
      for (const deviceId of waiting.keys()) {
        end(deviceId, 'stopped');
      }
    },
  };
}

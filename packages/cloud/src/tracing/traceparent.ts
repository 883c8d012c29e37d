import type * as Api from '@opentelemetry/api';
import type { Context, Span } from '@opentelemetry/api';

/** The library, which is loaded only when there are traces. */
export type OpenTelemetryApi = typeof Api;

/** `00-<trace>-<span>-<flags>` (W3C Trace Context); null if it is anything else, as clients may send what they like. */
export function parseTraceparent(
  text: unknown,
  { isSpanContextValid, ROOT_CONTEXT, trace }: OpenTelemetryApi,
): Context | null {
  const match = typeof text === 'string' ? /^00-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/.exec(text) : null;
  const [, traceId = '', spanId = ''] = match ?? [];
  // Sampled whatever the flags say: this cloud decides what it traces.
  const spanContext = { traceId, spanId, traceFlags: 1, isRemote: true };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : null;
}

export function traceparentOf(span: Span): string {
  const { traceId, spanId } = span.spanContext();
  return `00-${traceId}-${spanId}-01`;
}

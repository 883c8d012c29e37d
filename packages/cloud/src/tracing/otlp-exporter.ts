import type { Attributes, HrTime } from '@opentelemetry/api';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { errorMessage } from '../domain/error-details.ts';

const TIMEOUT_MS = 3_000;
const [SUCCESS, FAILED] = [0, 1];

export interface OtlpExporterDeps {
  /** URL of the receiver, without `/v1/traces`. */
  endpoint: string;
  /** Further headers, such as the key of the receiver. */
  headers: Readonly<Record<string, string>>;
  /** What sends: its name, version and instance. */
  resource: Attributes;
  log: Pick<Logger, 'warn' | 'info'>;
}

/**
 * Sends spans as OTLP over HTTP in JSON. A batch that the receiver does not take is lost; the log says when that begins and
 * ends.
 */
export function createOtlpExporter({ endpoint, headers, resource, log }: OtlpExporterDeps): SpanExporter {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  let isFailing = false;

  const send = async (spans: readonly ReadableSpan[]): Promise<void> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceSpans: [
          {
            resource: { attributes: toKeyValues(resource) },
            scopeSpans: [{ scope: { name: 'placard' }, spans: spans.map(toOtlpSpan) }],
          },
        ],
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (!response.ok) {
      throw new Error(`the receiver responded with status ${response.status}`);
    }
  };

  return {
    export(spans, onResult) {
      const attempt = async () => {
        try {
          await send(spans);
          if (isFailing) {
            isFailing = false;
            log.info({ url }, 'traces.sent_again');
          }
          onResult({ code: SUCCESS });
        } catch (error) {
          if (!isFailing) {
            isFailing = true;
            log.warn({ url, reason: errorMessage(error) }, 'traces.send_failed');
          }
          onResult({ code: FAILED });
        }
      };
      void attempt();
    },
    shutdown: async () => {},
  };
}

function toOtlpSpan(span: ReadableSpan) {
  const { traceId, spanId } = span.spanContext();
  return {
    traceId,
    spanId,
    ...(span.parentSpanContext ? { parentSpanId: span.parentSpanContext.spanId } : {}),
    name: span.name,
    // OTLP has one more, for those that are not specified.
    kind: span.kind + 1,
    startTimeUnixNano: toNanoseconds(span.startTime),
    endTimeUnixNano: toNanoseconds(span.endTime),
    attributes: toKeyValues(span.attributes),
    status: { code: span.status.code, ...(span.status.message ? { message: span.status.message } : {}) },
  };
}

const toNanoseconds = ([seconds, nanoseconds]: HrTime): string =>
  String(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds));

const toKeyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: toAnyValue(value) }));

function toAnyValue(value: Attributes[string]) {
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  }
  return typeof value === 'boolean' ? { boolValue: value } : { stringValue: String(value) };
}
